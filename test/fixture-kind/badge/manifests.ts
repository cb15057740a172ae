import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';

/** A badge for the pods of `app: web`. */
export function badge(image: string, spec: JsonObject = {}, name = 'name'): KubeObject {
  return {
    apiVersion: 'test.plan.kruise.io/v1',
    kind: 'Badge',
    metadata: { name },
    spec: { selector: { matchLabels: { app: 'web' } }, containers: [{ name: 'badge', image }], ...spec },
  };
}
