import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { setOf, sidecar } from './model.ts';

export type Random = () => number;

/** One of the choices. */
export const one = <T>(random: Random, ...choices: readonly T[]): T =>
  choices[Math.floor(random() * choices.length)] as T;
/** About half of the fields. */
export const some = (random: Random, fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(() => random() < 0.5));

function anySidecar(random: Random, name: string): JsonObject {
  return sidecar(name, {
    ...some(random, {
      podInjectPolicy: one(random, 'BeforeAppContainer', 'AfterAppContainer'),
      shareVolumePolicy: { type: one(random, 'enabled', 'disabled') },
      shareVolumeDevicePolicy: { type: 'enabled' },
      volumeMounts: [{ name: one(random, 'v1', 'va'), mountPath: one(random, '/a', '/b') }],
      env: [{ name: one(random, 'A', 'D'), value: 'own' }],
      transferEnv: [{ sourceContainerName: 'nginx', envNames: ['C', one(random, 'A', 'Z')] }],
      upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' },
      resourcesPolicy: {
        targetContainersMode: one(random, 'sum', 'max'),
        resourcesExpr: { limits: { cpu: 'cpu*50%' }, requests: { memory: 'memory + 1Mi' } },
      },
    }),
  });
}

/** A valid set with two containers that select the pods of the model. Two of other names do not exclude each other. */
export function anySet(random: Random, name: string): KubeObject {
  const initContainers = [
    sidecar(`${name}-init`, some(random, { restartPolicy: 'Always', podInjectPolicy: 'BeforeAppContainer' })),
  ];
  const patchPolicy = one(random, 'Retain', 'Overwrite', 'MergePatchJson');
  // Overwrite excludes what another set does with the same key.
  const key = patchPolicy === 'Overwrite' ? `k-${name}` : 'k';
  return setOf(name, {
    updateStrategy: { type: 'NotUpdate' },
    ...some(random, { initContainers, imagePullSecrets: [{ name: one(random, 's2', 's9') }] }),
    containers: [anySidecar(random, `${name}-a`), anySidecar(random, `${name}-b`)],
    volumes: ['v1', 'va'].map((volume) => ({ name: volume, emptyDir: {} })),
    patchPodMetadata: [{ annotations: { [key]: '{"x":1}' }, patchPolicy }],
  });
}
