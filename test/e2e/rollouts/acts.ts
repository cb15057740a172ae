import type { Case } from './case.ts';
import { hasAvailable, phaseOf, type ClusterSnapshot } from './snapshot.ts';
import { web, type Web } from './manifest.ts';

/** One pod, a person's word, the rest. */
export const approved = `steps:
  - match: {}
    batches: [{ to: 1 }, { to: 100% }]
    approve: [1]
`;

/** Creates the target, waits for all its pods, and remembers them. */
export async function begun(c: Case, parts: Web = {}): Promise<void> {
  const replicas = parts.replicas ?? 3;
  await change(c, { replicas, ...parts });
  await c.until(`${replicas} pods`, (snapshot) => hasAvailable(snapshot, replicas));
  await c.mark();
}

/** Commits a manifest with its plan, and syncs both. */
export async function change(c: Case, parts: Web): Promise<void> {
  await c.commit(web(parts));
  await c.sync();
}

/** Waits for a phase of the plan that is there. */
export const phase = (
  c: Case,
  wanted: string,
  holds: (snapshot: ClusterSnapshot) => boolean = () => true,
): Promise<ClusterSnapshot> => c.until(wanted, (snapshot) => phaseOf(snapshot) === wanted && holds(snapshot));

/** Waits for the end of a rollout to this many pods, and records it. */
export async function done(c: Case, replicas: number): Promise<void> {
  await phase(c, 'Succeeded', (snapshot) => hasAvailable(snapshot, replicas));
  await c.show();
  await c.retained();
}

/** Approves the waiting step. */
export async function approve(c: Case): Promise<void> {
  await c.kruise(`approve CloneSet/web --by ${c.world.user}`);
}

const imageOf = ({ spec }: ClusterSnapshot['pods'][number]): string =>
  (spec as { containers: { image: string }[] }).containers[0]?.image ?? '';

/** The names of the pods with this image, in order. */
export const podsAt = ({ pods }: ClusterSnapshot, image: string): string[] =>
  pods
    .filter((pod) => imageOf(pod) === image)
    .map(({ metadata }) => metadata.name)
    .sort();
