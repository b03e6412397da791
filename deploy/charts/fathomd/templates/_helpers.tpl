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
{{- else }}{{ .Values.global.hub }}/{{ .Values.image | default "fathomd" }}:{{ .Values.global.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* istioctl version prints this label. */}}
{{- define "fathom.kind" -}}
{{- if include "fathom.suffix" . }}istiod{{ else }}pilot{{ end }}
{{- end }}

{{/* Which pods belong to this control plane. Must never change: a Deployment's selector cannot. */}}
{{- define "fathom.selector" -}}
app: istiod
{{ if include "fathom.suffix" . -}}
istio.io/rev: {{ .Values.revision }}
{{- else -}}
istio: pilot
{{- end }}
{{- end }}
