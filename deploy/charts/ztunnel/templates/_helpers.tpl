{{/* Labels of every object. Not of selectors: those must never change. */}}
{{- define "fathom.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: fathom
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
istio.io/rev: {{ .Values.revision | default "default" }}
{{- end }}

{{/* "-REVISION" unless it is the default one, which has no part in names. */}}
{{- define "fathom.suffix" -}}
{{- if and .Values.revision (ne .Values.revision "default") }}-{{ .Values.revision }}{{ end }}
{{- end }}

{{- define "fathom.image" -}}
{{- if contains "/" (.Values.image | default "") }}{{ .Values.image }}
{{- else }}{{ .Values.global.hub }}/{{ .Values.image | default "ztunnel" }}:{{ .Values.global.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* Where the control plane of our revision is. */}}
{{- define "fathom.discovery" -}}
istiod{{ include "fathom.suffix" . }}.{{ .Values.global.istioNamespace | default .Release.Namespace }}.svc:15012
{{- end }}
