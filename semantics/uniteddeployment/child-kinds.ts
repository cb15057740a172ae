import type { JsonObject } from '../../schemas/wire/json.ts';
import { cloneSetGit } from '../cloneset/git.ts';
import { cloneSetLimits } from '../cloneset/limits.ts';
import { normalizeCloneSet } from '../cloneset/normalize.ts';
import { cloneSetResource } from '../cloneset/resource.ts';
import { cloneSetStatusFacts } from '../cloneset/status-facts.ts';
import type { StatusFacts } from '../kinds/status-facts.ts';
import { failingIn } from '../plan/failing-pods.ts';
import { REVISION_LABEL } from '../pod/types.ts';
import { statefulSetLimits } from '../statefulset/budgets.ts';
import { statefulSetGit } from '../statefulset/git.ts';
import { invalidStatefulSet } from '../statefulset/invalid.ts';
import { normalizeStatefulSet } from '../statefulset/normalize.ts';
import { statefulSetResource } from '../statefulset/resource.ts';
import { statefulSetStatusFacts } from '../statefulset/status-facts.ts';
import { objectOf } from '../values/read.ts';
import { invalidWorkloadFields } from '../workload/invalid.ts';
import type { ChildKind } from './child-kind.ts';
import { deployments, nativeSets } from './native-children.ts';
import { ownedPods } from './pods-of-child.ts';
import type { TemplateField } from './resource.ts';

/** What children of OpenKruise have in common: their share says how many of their pods are updated, and they say which fail. */
function ofKruise(
  status: StatusFacts,
): Pick<
  ChildKind,
  | 'component'
  | 'steps'
  | 'counts'
  | 'strategy'
  | 'failing'
  | 'podsOf'
  | 'revisionLabel'
  | 'unfilled'
  | 'writtenOnce'
> {
  return {
    component: undefined,
    steps: 'partly',
    counts(child) {
      const counts = status.counts(child);
      if (counts.of !== 'units') return { available: 0, updated: 0, updatedAvailable: 0 };
      const { available, updated, updatedAvailable } = counts;
      return { available, updated, updatedAvailable };
    },
    strategy: status.strategy,
    failing: failingIn,
    podsOf: ownedPods,
    revisionLabel: REVISION_LABEL,
    unfilled: (template) => template,
    writtenOnce: [],
  };
}

const cloneSets: ChildKind = {
  field: 'cloneSetTemplate',
  resource: cloneSetResource,
  git: cloneSetGit,
  limits: cloneSetLimits,
  ...ofKruise(cloneSetStatusFacts),
  settings: normalizeCloneSet,
  invalid: (child) => invalidWorkloadFields(normalizeCloneSet(child)),
  spec: (template, partition) => ({
    ...template,
    updateStrategy: cloneSetStrategy(objectOf(template['updateStrategy']), partition),
  }),
  filledIn: [
    ['revisionHistoryLimit'],
    // Defaults beside the type are those of the layout of v1alpha1.
    ...['partition', 'maxUnavailable', 'maxSurge', 'inPlaceUpdateStrategy'].map((field) => [
      'updateStrategy',
      field,
    ]),
    ['updateStrategy', 'rollingUpdate', 'inPlaceUpdateStrategy'],
  ],
};

const statefulSets: ChildKind = {
  field: 'advancedStatefulSetTemplate',
  resource: statefulSetResource,
  git: statefulSetGit,
  limits: statefulSetLimits,
  ...ofKruise(statefulSetStatusFacts),
  settings: (child) => ({ ...normalizeStatefulSet(child), progressDeadlineSeconds: undefined }),
  invalid: invalidStatefulSet,
  spec: (template, partition) => ({
    podManagementPolicy: 'OrderedReady',
    revisionHistoryLimit: 10,
    ...template,
    updateStrategy: statefulSetStrategy(objectOf(template['updateStrategy']), partition),
  }),
  filledIn: [],
};

/** The kinds of children. */
export const childKinds: readonly ChildKind[] = [cloneSets, statefulSets, deployments, nativeSets];

/** The kind that a field of the template asks for: CloneSets where none is set, so that it can be read. */
export function childKindOf(field: TemplateField | undefined): ChildKind {
  return childKinds.find((kind) => kind.field === field) ?? cloneSets;
}

/**
 * The strategy in the layout of v1beta1, whichever layout the template has: definitions have defaults in the other one, and the fields
 * of this one take precedence.
 */
function cloneSetStrategy({ type, rollingUpdate, ...flat }: JsonObject, partition: number): JsonObject {
  const isPolicy = type === 'ReCreate' || type === 'InPlaceIfPossible' || type === 'InPlaceOnly';
  return {
    type: type === 'OnDelete' ? type : 'RollingUpdate',
    rollingUpdate: {
      ...(isPolicy && { podUpdatePolicy: type }),
      ...flat,
      ...objectOf(rollingUpdate),
      partition,
    },
  };
}

function statefulSetStrategy({ type, rollingUpdate }: JsonObject, partition: number): JsonObject {
  return {
    type: type === 'OnDelete' ? type : 'RollingUpdate',
    rollingUpdate: { maxUnavailable: 1, podUpdatePolicy: 'ReCreate', ...objectOf(rollingUpdate), partition },
  };
}
