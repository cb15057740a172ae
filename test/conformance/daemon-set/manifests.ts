import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { daemonSetKind } from '../../../semantics/daemonset/kind.ts';
import { templateOf } from '../../runtime/stage.ts';
import { type Change, locationOf, NAME, type State } from '../subject.ts';

/** The fields of `updateStrategy.rollingUpdate` of each way of updates. */
export const inPlace: JsonObject = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 };
export const two: JsonObject = { maxUnavailable: 2 };
export const surge: JsonObject = { maxSurge: 1 };

/** `web` with this image, and with this environment if one is given: a pod on every node. */
export function web(
  version: number,
  rolling: JsonObject = inPlace,
  spec: JsonObject = {},
  env?: string,
): KubeObject {
  const image = `web:${version}`;
  const variables = env === undefined ? {} : { env: [{ name: 'LOG', value: env }] };
  const containers = [{ name: 'main', image, ...variables }];
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: locationOf(daemonSetKind.resource),
    spec: {
      selector: { matchLabels: { app: NAME } },
      template: { ...templateOf(NAME, image), spec: { containers } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: rolling },
      ...spec,
    },
  };
}

function images(rolling: JsonObject): Change['states'] {
  const at = (version: number): State => ({
    manifest: web(version, rolling),
    revision: `web:${version}`,
    image: `web:${version}`,
  });
  return [at(1), at(2), at(3)];
}

function environments(rolling: JsonObject, spec: JsonObject): Change['states'] {
  const at = (env: string): State => ({
    manifest: web(1, rolling, spec, env),
    revision: `web:1 ${env}`,
  });
  return [at('info'), at('debug'), at('trace')];
}

export const changes: readonly Change[] = [
  { title: 'in place', mode: 'InPlace', states: images(inPlace) },
  {
    title: 'recreated two at a time',
    mode: 'Recreate',
    states: environments(two, { minReadySeconds: 5 }),
  },
  { title: 'recreated beside the old pod', mode: 'Recreate', states: images(surge), surges: true },
];
