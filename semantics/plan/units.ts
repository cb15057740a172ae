/** What the rules of plans read of a target that runs once on each unit, beyond its rows. All of it is of the live run. */
export interface RunView {
  /** The runs on record, by hash: the attempt that is complete; 0: none is. */
  runs: ReadonlyMap<string, number>;
  /** How many units exist, whether it fits there or not. */
  existing: number;
  /** How many units it was started on, whether they still exist or not, and how many of these it has finished on. */
  started: number;
  finished: number;
  /** How many further units it may be started on, whatever a plan says. */
  waiting: number;
  failed: readonly FailedUnit[];
  /** By unit. */
  earlier: readonly EarlierPod[];
  /** It goes on when it has failed on a unit. */
  toleratesFailure: boolean;
  /** It goes on after the plan, on units that join. */
  isEndless: boolean;
  /**
   * The first unit by name that is worse than before its run, and what is worse; undefined: none.
   *
   * @param since units whose state before the run was recorded earlier are not judged, milliseconds since 1970
   * @param tolerated so many restarts of a pod on a unit are no harm
   */
  harm(since: number, tolerated: number): { unit: string; message: string } | undefined;
}

/** A pod of an earlier run that has not ended: it holds its unit, and counts against the parallelism. */
export interface EarlierPod {
  unit: string;
  pod: string;
  /** The name or hash of its run; undefined: it is of no run on record. */
  run: string | undefined;
  isLeaving: boolean;
}

/** A unit on which a run has failed. */
export interface FailedUnit {
  unit: string;
  pod: string;
  uid: string;
  /** Why it failed, as a clause. */
  problem: string;
}

/** A pod that waits at a lifecycle hook. */
export interface HookWait {
  pod: string;
  /** What ends the wait, as a clause with the command for it. */
  text: string;
}

/** Images that are pulled ahead of an update in place, to the nodes of pods that are to be updated. */
export interface PreDownload {
  images: readonly string[];
  /** On how many nodes a pull may be in progress. */
  parallelism: number;
  /** Milliseconds that one attempt may take. */
  attemptMs: number;
  /** It begins once so many updated pods are ready. */
  minUpdatedReady: number;
}
