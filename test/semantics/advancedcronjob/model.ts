import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';

/** A template of pods that run once. */
export const onePod: JsonObject = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'job:1' }] },
};

/** The field of `spec.template` of a Job, or of a BroadcastJob. */
export const jobTemplate = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  jobTemplate: { metadata, spec: { template: onePod, ...spec } },
});
export const broadcastJobTemplate = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  broadcastJobTemplate: { metadata, spec: { template: onePod, ...spec } },
});

/** An AdvancedCronJob `tidy` of every hour. */
export function cronJobOf(spec: JsonObject = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'AdvancedCronJob',
    metadata: { name: 'tidy', namespace: 'ops', uid: 'cron-uid', ...metadata },
    spec: { schedule: '0 * * * *', template: jobTemplate(), ...spec },
  };
}
