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
{{- else }}{{ .Values.global.hub }}/{{ .Values.image | default "fathom-agent" }}:{{ .Values.global.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "fathom.system" -}}
{{ .Values.global.istioNamespace | default "istio-system" }}
{{- end }}

{{/* "-REVISION" unless it is the default one, which has no part in names. */}}
{{- define "fathom.suffix" -}}
{{- if and .Values.revision (ne .Values.revision "default") }}-{{ .Values.revision }}{{ end }}
{{- end }}

{{/* The control plane that we tell what other clusters have; empty for none. */}}
{{- define "fathom.controlPlane" -}}
{{- $system := include "fathom.system" . }}
{{- $here := eq $system .Release.Namespace }}
{{- if .Values.controlPlane.stock }}
{{- if and .Values.controlPlane.url (ne .Values.controlPlane.url "auto") }}
{{- fail "controlPlane.url: a stock istiod listens to no agent: leave it out, or controlPlane.stock" }}
{{- end }}
{{- else if ne .Values.controlPlane.url "auto" }}
{{- if and .Values.controlPlane.url (not $here) }}
{{- fail (printf "controlPlane.url: a control plane listens to agents in its own namespace only, %s, and this release is in %s: install it there, set global.istioNamespace if that is wrong, or leave controlPlane.url empty" $system .Release.Namespace) }}
{{- end }}
{{- .Values.controlPlane.url }}
{{- else if $here }}https://istiod{{ include "fathom.suffix" . }}.{{ $system }}.svc:15012
{{- end }}
{{- end }}
