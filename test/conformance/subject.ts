import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Commit, VirtualClock, World as Sandbox, WorldOptions } from 'kruise-sandbox';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { Mode } from '../../semantics/template/mode.ts';

/** Live objects by `Kind/namespace/name`. */
export type Objects = ReadonlyMap<string, KubeObject>;

/** A unit of a target, read from the store, not by the rules under test. */
export interface Unit {
  id: string;
  /** A readable name of the revision in its spec: for a pod, its image. */
  revision: string;
  /** For a pod: it receives traffic. */
  serves: boolean;
}

/** The smallest and largest size of a target in any state that a runtime may have decided on. */
export interface Sizes {
  least: number;
  most: number;
}

/** What a runtime may have decided on. */
export interface Leniency {
  /** How old it may be; 0: it is what is there. */
  leniencyMs: number;
  sizesOf(target: KubeObject): Sizes;
}

/** A kind, and what the suite needs to know beyond its entry in the registry. */
export interface Subject {
  kind: PlannedKind;
  /** Options of the sandbox, in addition to the defaults. */
  world?: Partial<WorldOptions>;
  /** The installed roles and bindings of the runtime; its account is `kruise-system/kruise-runtime`. */
  roles: readonly KubeObject[];
  /** The hash by which plans name the revision of a manifest. */
  hashOf(manifest: KubeObject): string;
  /** What existing claims grow to, as a plan names it; undefined: none grows. */
  claimsOf?(manifest: KubeObject): string | undefined;
  /**
   * How many units a target has.
   *
   * @param nodes how many nodes there are; default: as many as the worlds of the kind begin with
   */
  sizeOf(target: KubeObject, nodes?: number): number;
  units(objects: Objects, target: KubeObject): Unit[];
  /**
   * The limits that a write of the runtime exceeded, as sentences. Called for each commit of the runtime, once `objects` shows
   * it.
   */
  brokenBounds(commit: Commit, objects: Objects, leniency: Leniency): string[];
  /** A replacement has the name of the pod that it replaces. */
  reusesNames?: boolean;
  /** Two runtimes of which none is elected exceed its limits for a moment: it is carried out by an elected one alone. */
  electedOnly?: boolean;
  /** Whether a pod is to go because another one takes its place. Default: only what is being deleted is. */
  isReplaced?: (pod: Pod, pods: readonly Pod[]) => boolean;
  /** Whether a write that is refused exceeds a limit for a moment in a world, or delays its end by more than the refusal. */
  exceeds?: (world: World) => boolean;
  /** What of its spec stops a target, and lets it go on, where a kind has such a field. */
  paused?: (isPaused: boolean) => JsonObject;
  /** One for each mode in which units are updated; the suite derives worlds from each. */
  changes: readonly Change[];
  /** Worlds that only this kind has. */
  worlds: readonly World[];
}

/** A manifest, and the `Unit.revision` of its units. */
export interface State {
  manifest: KubeObject;
  revision: string;
  /** An image that runs on this state alone, where that is what differs. */
  image?: string;
}

/**
 * Three states of one manifest, of at least four units, and the most that is done to a unit on the way. Where a kind may take
 * several units at once, one of its changes takes two: only then a step of one is a bound of its own.
 */
export interface Change {
  title: string;
  mode: Mode;
  states: readonly [State, State, State];
  /** A new pod starts beside the old one, which may still end when the goal changes: the name of the next one depends on it. */
  surges?: boolean;
}

/** A rollout, and what users do meanwhile. */
export interface World {
  title: string;
  /** Created and settled before the script starts. */
  target: KubeObject;
  prepare?: (sandbox: Sandbox) => void;
  /** The script creates another target. Its uid, and so the names of its pods, depend on what was created before. */
  makesTarget?: boolean;
  /** Steps, one after the other. Each waits with `when` for a state, never for a time. */
  script: readonly ScriptStep[];
  /** The full lane ends the runtime at many of its calls, and `KRUISE_TEST=all` at every one. */
  everyCall?: boolean;
  /** The state changes while no runtime runs: the number of writes and some messages depend on when it is observed. */
  hangsOnMoments?: boolean;
  /** A later runtime may miss a state that was changed and restored. */
  mayBeMissed?: boolean;
  /** New pods do not count until another controller has answered. */
  newPodsWait?: boolean;
  /** The size changes: a runtime with a stale cache follows the old size for a while, as any controller does. */
  sizeChanges?: boolean;
  /**
   * The target changes, and pods go, before anything is recorded: a runtime that sees the target late follows the old one, as
   * any controller does, and cannot know of another runtime yet.
   */
  precedesRecords?: boolean;
  /** A pod leaves its name to its successor, as it leaves its claims. */
  reusesNames?: boolean;
  /** The end state of `web`: the phase of the plan, and the number of units by revision. */
  end: {
    phase: string;
    units: Readonly<Record<string, number>>;
    /** The recorded hash of the stable revision. Undefined: it is not compared. */
    stable?: string;
  };
}

/** How often pods were changed, by any client. */
export interface PodChanges {
  created: number;
  deleted: number;
  /** In-place changes of a pod's revision or images. */
  updatedInPlace: number;
  /** How often a pod was drained by its gate. */
  drained: number;
  /** How many pods were created that only pull images; these are not among the others. */
  pulled: number;
}

/** The content of the store, followed by its commits, and the limits that these exceeded. */
export interface Ledger {
  readonly objects: Objects;
  readonly podChanges: Readonly<PodChanges>;
  /** Limits that a write of the runtime exceeded, as sentences. */
  readonly broken: readonly string[];
  /** Time of the last write of the runtime, milliseconds since 1970. */
  readonly lastWrite: number;
  pods(): Pod[];
  /** Units of the target, sorted by id; none while it does not exist. */
  units(): Unit[];
  plan(): KubeObject | undefined;
  target(): KubeObject | undefined;
}

/** What the steps of a script use: sandbox, clock, client and ledger. */
export interface Setup {
  subject: Subject;
  sandbox: Sandbox;
  clock: VirtualClock;
  user: Cluster;
  ledger: Ledger;
  /** Runs the clock until the store shows this, even while no runtime runs. */
  when(what: string, holds: (ledger: Ledger) => boolean): Promise<void>;
}

export interface ScriptStep {
  (setup: Setup): Promise<void>;
  /** A user does something; other steps wait for the runtime. */
  acts?: true;
}

/** A step in which a user does something, and that waits for nothing. */
export function act(step: (setup: Setup) => Promise<void>): ScriptStep {
  const acts: ScriptStep = (setup) => step(setup);
  acts.acts = true;
  return acts;
}

/** The name of every target. */
export const NAME = 'web';
export const NAMESPACE = 'shop';

/** Namespace and name of an object of a resource; a cluster-scoped one has no namespace. */
export function locationOf({ namespaced }: Resource, name = NAME): { namespace?: string; name: string } {
  return namespaced ? { namespace: NAMESPACE, name } : { name };
}

/** The resources of plans and commands for a kind. */
export function planResources({ resource }: PlannedKind): { plan: Resource; command: Resource } {
  return resource.namespaced
    ? { plan: resources.RolloutPlan, command: resources.RolloutCommand }
    : { plan: resources.ClusterRolloutPlan, command: resources.ClusterRolloutCommand };
}

export const all: Step = { id: 'all', update: { to: '100%' } };
