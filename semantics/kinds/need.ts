import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GroupKind } from '../owner.ts';
import type { Intern } from '../pod/intern.ts';
import type { PodWorkload } from '../pod/workload.ts';
import type { LabelSelector } from '../values/selector.ts';

/**
 * What must be watched for a target to be reconciled. The target and its ControllerRevisions always are.
 * A kind names what its rules read; the runtime decides how it is watched.
 */
export type Need =
  | { of: 'OwnedPods' }
  /**
   * Pods of any controller. Namespaces by name; undefined: that of the target, or all of a cluster-scoped target, as far as their
   * labels match `namespaceSelector`. `workload`: only those that belong to it (`workloadOfPod`). `podName`: only the pod of this name,
   * with all that is read of one whose containers are restarted (`projectNamed`).
   */
  | {
      of: 'SelectedPods';
      selector: LabelSelector;
      namespaces: readonly string[] | undefined;
      namespaceSelector?: LabelSelector | undefined;
      workload?: PodWorkload;
      podName?: string;
    }
  /**
   * What limits how many of the selected pods may be unavailable: the owners that this runtime manages, and the
   * PodDisruptionBudgets.
   */
  | { of: 'Disruption' }
  /** The PodDisruptionBudgets of the namespace of the target, its own included: whom they select, and whose they are. */
  | { of: 'Guards' }
  /**
   * PersistentVolumeClaims that the target controls, and in its namespace those of any owner that are named by one of
   * `numbered` and a number: claims of numbered pods outlive their target, so it does not control them.
   */
  | { of: 'Claims'; numbered?: readonly string[] }
  /**
   * Pods in the namespace of the target that match the selector and have no controller: the target adopts them, as
   * controllers of Kubernetes do. `numbered`: only those that are named by this and a number. With them come the
   * ControllerRevisions that they are on, if those have no controller either.
   */
  | { of: 'Orphans'; selector: LabelSelector; numbered?: string }
  /**
   * `Spread`: without nodes, scale-in may choose the wrong pods. `Placement`: the units of the target are nodes. `Subsets`: they tell
   * in which subset a pod is that has no record of it; nothing is decided until it is known whether they can be listed.
   */
  | { of: 'Nodes'; why: 'Spread' | 'Placement' | 'Subsets' }
  /** Pods of any owner, of all namespaces, as far as `PodOnNode` (semantics/node) has them: whether a run has harmed a node. */
  | { of: 'PodsOnNodes' }
  /**
   * The ControllerRevisions without owner that hold what runs of the target have done: they outlive it. The labels in
   * semantics/run/labels.ts name it.
   */
  | { of: 'Runs' }
  /** The target that the target names as its controller, as far as its kind is managed, with its ControllerRevisions. */
  | { of: 'Creator'; controller: GroupKind; namespace: string; name: string }
  /**
   * Objects of another kind, built in or custom, that the target controls. `arePast`: none will be created, and those of an
   * earlier spec are looked after as far as they can be listed. `copyName`: they are copies, and all have this name.
   */
  | { of: 'Children'; resource: Resource; arePast?: true; copyName?: string }
  /** Every namespace, with its labels, and whether it is being deleted. */
  | { of: 'Namespaces' }
  /**
   * One object that the target names, of any owner. The namespace of a cluster-scoped object is empty. `isHint`: its name may be made
   * up, by a pod, and where such objects may not be listed, the rules do without it.
   */
  | { of: 'Config'; resource: Resource; namespace: string; name: string; isHint?: true }
  /**
   * An object of a `Config` need as the server has it after the pods were observed: they may be there because of a state that no watch has
   * reported yet. It is read for each decision about a target without plans.
   */
  | { of: 'Latest'; resource: Resource; namespace: string; name: string };

/**
 * A folder of deploy/components that adds rights of the runtime: without it what needs them says so. As shipped all are off but
 * `distributions`.
 */
export type Component =
  | 'launch-everywhere'
  | 'native-workloads'
  | 'cascading-protection'
  | 'distributions'
  | 'secrets'
  | 'container-exec';

/** What may change in pods of others. The policies allow nothing else. */
export type SelectedMark = ContainerMark | AnnotationMark | SpellingMark | GateMark;

/** Images of some containers, of pods that are recognized by what they have. */
export interface ContainerMark {
  of: 'containers';
  /** Every such pod has it. */
  annotation: string;
  /** Every container whose image changes has a variable of this name. */
  variable: string;
  /** Annotations that are written. */
  records: readonly string[];
  /** How the keys of further ones begin. */
  prefixes: readonly string[];
  /** Conditions that are written. */
  conditions: readonly string[];
}

/** Nothing but annotations, of any selected pod. */
export interface AnnotationMark {
  of: 'annotations';
  /** Their keys. */
  records: readonly string[];
}

/**
 * Images of containers of any pod, which get another name for what runs: one with the digest that the node reports. With it comes
 * a record.
 */
export interface SpellingMark {
  of: 'spellings';
  /** The annotation that is written. */
  record: string;
  /** Conditions that are written in pods that have them as gates. `Ready` is ended with them. */
  conditions: readonly string[];
}

/**
 * Of pods with a scheduling gate everything that says where they may run, and their labels and annotations, in the write that removes the
 * gate. Of any selected pod, annotations. One that was given a place and gets no node may be deleted.
 */
export interface GateMark {
  of: 'gates';
  /** The name of the gate. */
  gate: string;
  /** Annotations that are written. The first one says that a pod was given a place. */
  records: readonly [placed: string, ...others: string[]];
}

/** A type of need, with the details that are the same for all targets. */
export type Use =
  /** `areResized`: their containers may be resized in place. */
  | { of: 'OwnedPods'; areResized?: true }
  | { of: 'PodsOnNodes' | 'Runs' | 'Disruption' | 'Guards' | 'Creator' | 'Namespaces' }
  /** Metadata of the target itself: the keys that are written. Its spec never is. */
  | {
      of: 'Itself';
      labels: readonly string[];
      annotations: readonly string[];
      finalizers: readonly string[];
    }
  /**
   * `mark`: which pods are changed, and what changes there; undefined: none is. `areRead`: nothing is decided about them, as they are those
   * of other targets.
   */
  | { of: 'SelectedPods'; mark?: SelectedMark; areRead?: true }
  /**
   * `label`: the key of a label that all claims have; undefined: there is none. `isUnowned`: they are created without an
   * owner, and outlive their target.
   */
  | { of: 'Claims'; label: string | undefined; isUnowned?: true }
  /** `areNumbered`: every need has `numbered`, so that pods are cached by their names, whichever targets there are. */
  | { of: 'Orphans'; areNumbered: boolean }
  | { of: 'Nodes'; why: 'Spread' | 'Placement' | 'Subsets' }
  /**
   * `areFixed`: they are created and deleted, and never patched. `component`: what adds the rights to them. `copies`: there are many
   * of the same content.
   */
  | { of: 'Children'; resource: Resource; areFixed?: true; component?: Component; copies?: Copies }
  /**
   * `object`: the only object that targets name, if there is one. The namespace of a cluster-scoped object is empty. `hint`: every need
   * is a hint. So much is cached of every object of the resource, apart from what others cache of it: no name asks for a list.
   */
  | {
      of: 'Config';
      resource: Resource;
      object?: { namespace: string; name: string };
      hint?: (object: KubeObject) => KubeObject;
    };

/** How children are watched of which there are many, among more objects of others. */
export interface Copies {
  /** The key of a label that all of them have: no other object of the resource is listed. */
  label: string;
  /** What is cached of one, instead of all its content. What many have alike is interned. */
  project(object: KubeObject, intern: Intern): KubeObject;
}

/**
 * How the children of this resource are watched, if they are copies. Undefined: as any others, as some target owns or names objects of
 * it that are none.
 */
export function copiesOf(uses: readonly Use[], { group, plural }: Resource): Copies | undefined {
  const own = uses.filter(
    (use) => 'resource' in use && use.resource.group === group && use.resource.plural === plural,
  );
  const each = own.map((use) => (use.of === 'Children' ? use.copies : undefined));
  const [first] = each;
  return each.every((copies) => copies?.label === first?.label) ? first : undefined;
}

/** What adds the rights to children of this resource; undefined: every installation has them. */
export function componentOf(uses: readonly Use[], { group, plural }: Resource): Component | undefined {
  return uses
    .filter((use) => use.of === 'Children')
    .find(({ resource }) => resource.group === group && resource.plural === plural)?.component;
}

/** The scheduling gates that targets with these uses remove from pods. */
export function gatesOf(uses: readonly Use[]): string[] {
  return uses.flatMap((use) =>
    use.of === 'SelectedPods' && use.mark?.of === 'gates' ? [use.mark.gate] : [],
  );
}

/** The annotations that they write in that. */
export function gateRecordsOf(uses: readonly Use[]): string[] {
  return uses.flatMap((use) =>
    use.of === 'SelectedPods' && use.mark?.of === 'gates' ? use.mark.records : [],
  );
}

/** Whether targets with these uses decide about pods. */
export function havePods(uses: readonly Use[]): boolean {
  return uses.some((use) => use.of === 'OwnedPods' || (use.of === 'SelectedPods' && use.areRead !== true));
}

/** All needs of this type. */
export function needsOf<Of extends Need['of']>(needs: readonly Need[], of: Of): Extract<Need, { of: Of }>[] {
  return needs.filter((need): need is Extract<Need, { of: Of }> => need.of === of);
}

/** The first need of this type, or undefined when there is none. */
export function needOf<Of extends Need['of']>(
  needs: readonly Need[],
  of: Of,
): Extract<Need, { of: Of }> | undefined {
  return needs.find((need): need is Extract<Need, { of: Of }> => need.of === of);
}
