import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { ClassifiedField } from '../../../semantics/template/classify.ts';

export const app: JsonObject = { name: 'app', image: 'app:1' };
export const sidecar: JsonObject = { name: 'proxy', image: 'proxy:1' };

export function pod(containers: JsonObject[], spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { metadata, spec: { containers, ...spec } };
}
export function withApp(fields: JsonObject): JsonObject {
  return pod([{ ...app, ...fields }]);
}
/** Path, effect and shown values: what a reviewer reads first. */
export function lines(fields: readonly ClassifiedField[]): string[] {
  return fields.map(({ path, effect, from, to, change }) =>
    [
      path.replace(/^template\./, ''),
      effect,
      ...(change ? [change] : []),
      ...(from !== undefined || to !== undefined ? [`${from}>${to}`] : []),
    ].join(' '),
  );
}
