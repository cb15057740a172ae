import { expect } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Policy } from '../../semantics/policy.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { type SidecarWorld, sidecarWorld } from './sidecar-world.ts';

export const CANARY = { track: 'canary' };
export const BETA = { track: 'beta' };

/** A set that updates pods with these labels only. */
export const bounded = (labels: Record<string, string>): JsonObject => ({
  updateStrategy: { maxUnavailable: 2, selector: { matchLabels: labels } },
});
export const UNBOUNDED: JsonObject = { updateStrategy: { maxUnavailable: 2 } };

export const STEPS: readonly Step[] = [
  { id: 'half', update: { to: '50%', atLeast: 1 } },
  { id: 'soak', soak: { for: '5m' } },
  { id: 'all', update: { to: '100%' } },
];

/** A world with ten pods: six of the track main, and two each of canary and beta. */
export interface TrackWorld extends SidecarWorld {
  /** How many pods have each image, by the label `track`. */
  byTrack(): Promise<Record<string, number>>;
  /** Writes the set with this image and its plan, and waits until that has succeeded. */
  land(image: string, spec: JsonObject): Promise<void>;
}

export async function trackWorld(policy: Policy = 'Required'): Promise<TrackWorld> {
  const cluster = await sidecarWorld({ policy });
  await cluster.set('log:1', undefined, UNBOUNDED);
  await cluster.deployment('web', 6, { track: 'main' });
  await cluster.deployment('canary', 2, CANARY);
  await cluster.deployment('beta', 2, BETA);
  expect(await cluster.images()).toEqual({ 'log:1': 10 });
  return {
    ...cluster,
    async byTrack() {
      const counts: Record<string, number> = {};
      for (const pod of await cluster.pods()) {
        const key = `${pod.metadata.labels?.['track']} ${sidecarOf(pod)}`;
        counts[key] = (counts[key] ?? 0) + 1;
      }
      return counts;
    },
    async land(image, spec) {
      await cluster.set(image, STEPS, spec);
      await cluster.until('Succeeded', 1_200_000);
    },
  };
}

/** The image of the sidecar in a pod; '': it has none. */
export function sidecarOf({ spec }: Pod): string {
  return spec.containers.find(({ name }) => name === 'log')?.image ?? '';
}
