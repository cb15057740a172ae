import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Commit } from '../../sandbox/store/history.ts';
import type { VirtualClock } from '../../sandbox/clock/virtual.ts';
import type { World as Sandbox, WorldOptions } from '../../sandbox/world.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { Mode } from '../../semantics/template/mode.ts';

/** Live objects by `Kind/namespace/name`. */
export type Objects = ReadonlyMap<string, KubeObject>;

/** A unit of a target, read from the store alone and not by the rules under test. */
export interface Unit {
  id: string;
  /** What a person calls the revision that it is asked to be on: for a pod, its image. */
  revision: string;
  /** For a pod: it is in traffic. */
  serves: boolean;
}

/** Smallest and largest size that a target had within what a runtime may decide on. */
export interface Sizes {
  least: number;
  most: number;
}

/** A kind, and what the suite must know of it beyond its entry in the registry. */
export interface Subject {
  kind: Kind;
  /** What the world is to serve and have beyond the usual. */
  world?: Partial<WorldOptions>;
  /** Roles and bindings of the runtime, as they are installed; the account is `kruise-system/kruise-runtime`. */
  roles: readonly KubeObject[];
  /** Hash of the manifest's content, as plans name it. */
  hashOf(manifest: KubeObject): string;
  sizeOf(target: KubeObject): number;
  units(objects: Objects, target: KubeObject): Unit[];
  /**
   * What a write of the runtime broke of what must be kept whatever happens to it, in words. Asked for each commit that it
   * makes, after `objects` shows it.
   */
  brokenBounds(commit: Commit, objects: Objects, sizesOf: (target: KubeObject) => Sizes): string[];
  /** The next pod of a unit has the name of the last one. */
  reusesNames?: boolean;
  /** One for each way in which units come to another revision; the suite makes histories of each. */
  changes: readonly Change[];
  /** What only this kind does. */
  worlds: readonly World[];
}

/** What a manifest says, and what `Unit.revision` is on it. */
export interface State {
  manifest: KubeObject;
  revision: string;
}

/** Three states of one manifest, of at least four units, and the most that is done to a unit on the way. */
export interface Change {
  title: string;
  mode: Mode;
  states: readonly [State, State, State];
}

/** A roll-out and what people do in the middle of it. */
export interface World {
  title: string;
  /** Settled before the history begins. */
  target: KubeObject;
  prepare?: (sandbox: Sandbox) => void;
  /** Another target is created on the way: its uid, and so the names of its pods, follows what was created before. */
  makesTarget?: boolean;
  /** One after the other; each waits with `when` for what must be there, never for a time to pass. */
  deeds: readonly Deed[];
  /** A runtime ends at every one of its calls, and not at some of them. */
  everyCall?: boolean;
  /** Something goes on while nobody is there: how often, and what is said of it, hangs on when somebody looks. */
  hangsOnMoments?: boolean;
  /** What is done and undone on the way may as well not be done, for whoever looks a moment later. */
  mayBeMissed?: boolean;
  /** The size itself changes: whoever sees that late follows the old one for a while, as any controller does. */
  sizeChanges?: boolean;
  /** What `web` comes to: the plan's phase, and units by revision. */
  end: {
    phase: string;
    units: Readonly<Record<string, number>>;
    /** The hash that is on record as the stable one. Left out: it is not asked. */
    stable?: string;
  };
}

/** What was done to pods, whoever did it. */
export interface Toll {
  created: number;
  deleted: number;
  /** Changes of a pod's revision or of its images in place. */
  updatedInPlace: number;
  /** Times a pod was taken out of traffic by its gate. */
  drained: number;
}

/** The store as its commits tell it, and what they broke. */
export interface Ledger {
  readonly objects: Objects;
  readonly toll: Readonly<Toll>;
  /** Bounds that a write of the runtime broke, in words. */
  readonly broken: readonly string[];
  /** When the runtime last wrote anything, milliseconds since 1970. */
  readonly lastWrite: number;
  pods(): Pod[];
  /** Units of the target, by id; none while it is not there. */
  units(): Unit[];
  plan(): KubeObject | undefined;
  target(): KubeObject | undefined;
}

/** Where a world is played, and what its store has shown so far. */
export interface Scene {
  subject: Subject;
  sandbox: Sandbox;
  clock: VirtualClock;
  user: Cluster;
  ledger: Ledger;
  /** Runs until the store shows this, however long the runtime is away meanwhile. */
  when(what: string, holds: (ledger: Ledger) => boolean): Promise<void>;
}

export interface Deed {
  (scene: Scene): Promise<void>;
  /** Somebody does something; other deeds wait for the runtime. */
  acts?: true;
}

/** A deed that somebody does, and that asks for nothing of the runtime. */
export function act(deed: (scene: Scene) => Promise<void>): Deed {
  const acts: Deed = (scene) => deed(scene);
  acts.acts = true;
  return acts;
}

/** Every target that plays is called so. */
export const NAME = 'web';
export const NAMESPACE = 'shop';

/** Where an object of a resource lies: a cluster-scoped one in no namespace. */
export function placeOf({ namespaced }: Resource, name = NAME): { namespace?: string; name: string } {
  return namespaced ? { namespace: NAMESPACE, name } : { name };
}

/** What plans of the kind, and words to them, are stored as. */
export function planResources({ resource }: Kind): { plan: Resource; command: Resource } {
  return resource.namespaced
    ? { plan: resources.RolloutPlan, command: resources.RolloutCommand }
    : { plan: resources.ClusterRolloutPlan, command: resources.ClusterRolloutCommand };
}

export const all: Step = { id: 'all', update: { to: '100%' } };
