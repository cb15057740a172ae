import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

export const spreadResource: Resource = resources.WorkloadSpread;

/** On a pod: its WorkloadSpread and its subset, as JSON. Nothing else records where a pod belongs. */
export const MATCHED_ANNOTATION = 'apps.kruise.io/matched-workloadspread';
/** On a WorkloadSpread, `true`: pods that are older get no labels and annotations of the patch of their subset. */
export const IGNORE_OLD_ANNOTATION = 'workloadspread.kruise.io/ignore-patch-existing-pods-metadata';

/** The version of pods whose owners have one cap for all versions. */
export const ANY_VERSION = 'versionIgnored';

/** The workloads whose pods this runtime creates itself, and so spreads as it creates them. */
export const SPREAD: readonly Resource[] = [resources.CloneSet, resources.StatefulSet];
