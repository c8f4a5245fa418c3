{{- define "engine.name" -}}
{{ printf "%s" .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "engine.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "engine.labels" -}}
{{ include "engine.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "engine.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* The fields of a pod that all processes share. */}}
{{- define "engine.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 256Mi
  - name: error-reports
    emptyDir:
      sizeLimit: {{ .Values.errorSpool.sizeLimit }}
{{- end }}

{{/* The fields of a container that all processes share. */}}
{{- define "engine.container" -}}
image: {{ include "engine.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
  - name: error-reports
    mountPath: /var/lib/engine/error-reports
{{- end }}

{{/* The environment of a serving process. */}}
{{- define "engine.environment" -}}
envFrom:
  - configMapRef:
      name: {{ include "engine.name" . }}
  - secretRef:
      name: {{ .Values.secrets.existingSecret }}
# A pod does not start if one of these keys is missing in the Secret.
env:
{{- range list "DATABASE_URL" "SEAL_KEY" "SMTP_URL" }}
  - name: {{ . }}
    valueFrom:
      secretKeyRef: { name: {{ $.Values.secrets.existingSecret }}, key: {{ . }} }
{{- end }}
{{- end }}

{{/* The build of the workers: Temporal gives work only to the promoted one. */}}
{{- define "engine.build" -}}
{{ .Values.image.digest | default .Values.image.tag | default .Chart.AppVersion | replace ":" "-" | replace "." "-" | trunc 63 }}
{{- end }}

{{/* The grace period: the drain, and the time to finish work in progress. */}}
{{- define "engine.grace" -}}
terminationGracePeriodSeconds: {{ add 50 (int (.Values.settings.DRAIN_S | default "10")) }}
{{- end }}

{{/* Probes of a worker, on the metrics port. */}}
{{- define "engine.workerProbes" -}}
startupProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 5
  failureThreshold: 36
livenessProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}
