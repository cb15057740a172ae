import type { kindsByName } from '../../semantics/registry/registered.ts';
import type { Disturbance } from './worlds.ts';

/** The name of a registered kind. */
export type KindName = keyof typeof kindsByName;

/**
 * How a kind is tested under a disturbance, or for something that it may serve: in worlds of its subject, in plays, or not, and
 * why that cannot be.
 */
export type Cell = 'worlds' | 'plays' | { readonly not: string };

type Row = Readonly<Record<Disturbance, Cell>>;

const not = (reason: string): Cell => ({ not: reason });

/** A kind whose units are pods of its own, and that serves all there is. */
const worlds: Row = {
  crashes: 'worlds',
  faults: 'worlds',
  refusals: 'worlds',
  blind: 'worlds',
  levels: 'worlds',
  together: 'worlds',
  elected: 'worlds',
  stopped: 'worlds',
  refusedRevision: 'worlds',
  asked: 'worlds',
  limits: 'worlds',
  ordered: 'worlds',
  claimed: 'worlds',
  resized: 'worlds',
  hooked: 'worlds',
};

/** What becomes of the runtime is tested by plays. */
const plays = {
  crashes: 'plays',
  faults: 'plays',
  refusals: 'plays',
  blind: 'plays',
  levels: 'plays',
  together: 'plays',
  elected: 'plays',
  stopped: 'plays',
} as const satisfies Partial<Row>;

const JUDGED = 'its steps and gates are tested in the plays, and in the tests of the runtime';

/** Every registered kind by every disturbance: a kind without a row, and a row without a cell, do not compile. */
export const table: Readonly<Record<KindName, Row>> = {
  CloneSet: worlds,
  StatefulSet: { ...worlds, claimed: not('claims belong to its ordinals, and outlive their pods') },
  DaemonSet: {
    ...worlds,
    claimed: not('its pods have no claims'),
    together: not('two runtimes of which none is elected exceed its limits for a moment'),
  },
  SidecarSet: {
    ...plays,
    refusedRevision: not('it creates no pods'),
    asked: not(JUDGED),
    limits: 'plays',
    ordered: not('the order is that of pods of other owners'),
    claimed: not('claims are of pods of other owners'),
    resized: not('it changes images alone'),
    hooked: not('hooks are of pods of other owners'),
  },
  BroadcastJob: {
    ...plays,
    refusedRevision: not('a run has no revision before'),
    asked: not(JUDGED),
    limits: 'plays',
    ordered: 'plays',
    claimed: not('its pods have no claims'),
    resized: not('a pod of a run is not updated'),
    hooked: not('a pod of a run is not updated, nor deleted before it has ended'),
  },
  AdvancedCronJob: {
    ...plays,
    refusedRevision: not('its children create the pods'),
    asked: not(JUDGED),
    limits: not('it creates one child at a time; limits of units are those of the children'),
    ordered: not('its children create the pods'),
    claimed: not('its children create the pods'),
    resized: not('its children create the pods'),
    hooked: not('its children create the pods'),
  },
  UnitedDeployment: {
    ...plays,
    refusedRevision: not('its children create the pods'),
    asked: not(JUDGED),
    limits: not('its limits are split over its children, which hold them'),
    ordered: not('its children create the pods'),
    claimed: not('its children create the pods'),
    resized: not('its children create the pods'),
    hooked: not('its children create the pods'),
  },
  PodUnavailableBudget: {
    ...plays,
    refusedRevision: not('it has no revision'),
    asked: not('it has no plan'),
    limits: not('it is a limit itself, which every play holds'),
    ordered: not('it creates no pods'),
    claimed: not('it creates no pods'),
    resized: not('it changes no pods but their annotations'),
    hooked: not('it changes no pods but their annotations'),
  },
  ResourceDistribution: {
    ...plays,
    refusedRevision: not('it has no revision'),
    asked: not('it has no plan'),
    limits: not('there is nothing that it limits'),
    ordered: not('it has no pods'),
    claimed: not('it has no pods'),
    resized: not('it has no pods'),
    hooked: not('it has no pods'),
  },
  WorkloadSpread: {
    ...plays,
    refusedRevision: not('it has no revision'),
    asked: not('it has no plan'),
    limits: not('there is nothing that it limits'),
    ordered: not('it creates no pods'),
    claimed: not('it creates no pods'),
    resized: not('it changes no pods but their labels and annotations'),
    hooked: not('it changes no pods but their labels and annotations'),
  },
  ContainerRecreateRequest: {
    ...plays,
    refusedRevision: not('it has no revision'),
    asked: not('it has no plan'),
    limits: 'plays',
    ordered: not('it creates no pods'),
    claimed: not('it creates no pods'),
    resized: not('it changes images alone'),
    hooked: not('hooks are of pods of other owners'),
  },
  ImagePullJob: {
    ...plays,
    refusedRevision: not('it has no revision'),
    asked: not('it has no plan'),
    limits: 'plays',
    ordered: not('its pods run nothing'),
    claimed: not('its pods have no claims'),
    resized: not('its pods run nothing'),
    hooked: not('its pods run nothing'),
  },
  ImageListPullJob: {
    ...plays,
    refusedRevision: not('it has no revision'),
    asked: not('it has no plan'),
    limits: not('each of its jobs has its own'),
    ordered: not('it has no pods'),
    claimed: not('it has no pods'),
    resized: not('it has no pods'),
    hooked: not('it has no pods'),
  },
  NodeImage: {
    ...plays,
    refusedRevision: not('it has no revision'),
    asked: not('it has no plan'),
    limits: not('its play counts how many pulls there are at once'),
    ordered: not('its pods run nothing'),
    claimed: not('its pods have no claims'),
    resized: not('its pods run nothing'),
    hooked: not('its pods run nothing'),
  },
};
