import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { templateHash } from '../template/canonical.ts';
import { remembered } from '../values/remembered.ts';
import { imageOf, type NormalPull, normalizePull } from './normalize.ts';

/**
 * What a job pulls, as the template of a pod that runs the image: its hash identifies the run. On which nodes, and how often it is
 * tried, is no part of it.
 */
export function runTemplate(image: string, { isForced, pullSecrets }: NormalPull): JsonObject {
  const secrets = pullSecrets.map((name) => ({ name }));
  return {
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'image', image, imagePullPolicy: isForced ? 'Always' : 'IfNotPresent' }],
      ...(secrets.length > 0 && { imagePullSecrets: secrets }),
    },
  };
}

/** The hash of the live run of a job. */
export const runHash = remembered((job: KubeObject): string =>
  templateHash(runTemplate(imageOf(job), normalizePull(job))),
);
