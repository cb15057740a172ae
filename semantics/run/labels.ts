import type { GroupKind } from '../owner.ts';
import type { Pod } from '../pod/types.ts';

/** The labels of a stored run: the kind of its target with its group, and the name of the target. */
export const RUN_KIND_LABEL = 'plan.kruise.io/run-kind';
export const RUN_TARGET_LABEL = 'plan.kruise.io/run-target';

/** The value of the label for a kind. */
export function runKindLabel({ group, kind }: GroupKind): string {
  return `${kind}.${group}`;
}

/** The label of a pod that a plan has started: its run. */
export const RUN_LABEL = 'plan.kruise.io/run';

/** The hash that a value of that label stands for. */
export function hashOfRunLabel(label: string): string {
  return `h1:${label}`;
}

/** The value of that label for the hash of a template: without its prefix, since a label has no colon. */
export function runLabel(hash: string): string {
  return hash.slice(hash.indexOf(':') + 1);
}

/** The pods of a run. */
export function podsOfRun(pods: readonly Pod[], hash: string): Pod[] {
  const run = runLabel(hash);
  return pods.filter(({ metadata }) => metadata.labels?.[RUN_LABEL] === run);
}
