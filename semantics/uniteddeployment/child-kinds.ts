import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { cloneSetGit } from '../cloneset/git.ts';
import { cloneSetLimits } from '../cloneset/limits.ts';
import { normalizeCloneSet } from '../cloneset/normalize.ts';
import { cloneSetResource } from '../cloneset/resource.ts';
import { cloneSetStatusFacts } from '../cloneset/status-facts.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { GitSide } from '../kinds/git-side.ts';
import type { StatusFacts } from '../kinds/status-facts.ts';
import type { KindLimits } from '../limits/window.ts';
import { statefulSetLimits } from '../statefulset/budgets.ts';
import { statefulSetGit } from '../statefulset/git.ts';
import { invalidStatefulSet } from '../statefulset/invalid.ts';
import { normalizeStatefulSet } from '../statefulset/normalize.ts';
import { statefulSetResource } from '../statefulset/resource.ts';
import { statefulSetStatusFacts } from '../statefulset/status-facts.ts';
import type { UpdateRules } from '../template/update-policy.ts';
import { objectOf } from '../values/read.ts';
import { invalidWorkloadFields } from '../workload/invalid.ts';
import type { TemplateField } from './resource.ts';

/** What the rules of plans read of the template of children. */
export interface ChildSettings extends UpdateRules {
  readonly paused: boolean;
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number | undefined;
}

/** A kind of which a target makes an object for each of its subsets. A child is read by the rules of its own kind. */
export interface ChildKind {
  /** The field of `spec.template` that asks for it. */
  field: TemplateField;
  resource: Resource;
  git: GitSide;
  limits: KindLimits;
  status: StatusFacts;
  settings(child: KubeObject): ChildSettings;
  /** Errors in a child that its schema cannot express. */
  invalid(child: KubeObject): InvalidField[];
  /** The spec of a child with this partition, by that of the template. What the server would fill in is in it, or in `filledIn`. */
  spec(template: JsonObject, partition: number): JsonObject;
  /** Fields of a spec that the server fills in where a template leaves them out; a path is of keys. */
  filledIn: readonly (readonly string[])[];
  /** Paths of fields below `spec` that no child may change. */
  immutable: readonly string[];
}

const cloneSets: ChildKind = {
  field: 'cloneSetTemplate',
  resource: cloneSetResource,
  git: cloneSetGit,
  limits: cloneSetLimits,
  status: cloneSetStatusFacts,
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
  immutable: [],
};

const statefulSets: ChildKind = {
  field: 'advancedStatefulSetTemplate',
  resource: statefulSetResource,
  git: statefulSetGit,
  limits: statefulSetLimits,
  status: statefulSetStatusFacts,
  settings: (child) => ({ ...normalizeStatefulSet(child), progressDeadlineSeconds: undefined }),
  invalid: invalidStatefulSet,
  spec: (template, partition) => ({
    podManagementPolicy: 'OrderedReady',
    revisionHistoryLimit: 10,
    ...template,
    updateStrategy: statefulSetStrategy(objectOf(template['updateStrategy']), partition),
  }),
  filledIn: [],
  immutable: ['serviceName', 'podManagementPolicy'],
};

/** The kinds of children that are carried out. */
export const childKinds: readonly ChildKind[] = [cloneSets, statefulSets];

/** The kind that a field of the template asks for: CloneSets where it asks for none that is carried out, so that it can be read. */
export function childKindOf(field: TemplateField | undefined): ChildKind {
  return childKinds.find((kind) => kind.field === field) ?? cloneSets;
}

/** Whether the rules carry out what a field of the template asks for. */
export function isCarriedOut(field: TemplateField | undefined): boolean {
  return childKinds.some((kind) => kind.field === field);
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
