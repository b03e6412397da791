{{/* Labels of every object. Not of selectors: those must never change. */}}
{{- define "fathom.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: fathom
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "fathom.image" -}}
{{- if contains "/" (.Values.image | default "") }}{{ .Values.image }}
{{- else }}{{ .Values.global.hub }}/{{ .Values.image | default "fathom-fleet" }}:{{ .Values.global.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}
