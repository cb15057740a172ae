import { createHash } from 'node:crypto';
import { boundedCache, textWeight } from '../values/bounded-cache.ts';
import type { RunLimit } from './limit.ts';
import type { NodeBaseline } from './harm.ts';

/**
 * What one run did, by node. It is kept outside of the object that owns the pods: the engine of GitOps recreates an object
 * that was pruned or has expired, and its run must not begin again.
 */
export interface RunRecord {
  /** Identifies the run: the hash of the template. An edited policy or soak is the same run. */
  hash: string;
  /** Marks of the nodes that a pod was created for. They are recorded before it is. */
  started: ReadonlySet<string>;
  /** Marks of the nodes on which it succeeded. They never run it again. */
  finished: ReadonlySet<string>;
  /** What was wrong with nodes before the run began there, by mark. A node without it is not judged. */
  before: ReadonlyMap<string, NodeBaseline>;
  /** The attempt that has begun; a higher one reruns nodes on which it has not finished. */
  attempt: number;
  /** The attempt that is complete; 0: none is. */
  completed: number;
}

/** The limit of one run, with what it did before. */
export interface RunBound extends RunLimit {
  /** As it is stored. */
  record: RunRecord;
}

/**
 * Hexadecimal digits by which a node is known in a record. A node that shares them with a finished one would be left out: of
 * ten thousand nodes, one run in twenty thousand has such a pair.
 */
const MARK_DIGITS = 10;
/** How many runs are on record, besides those that a plan names. */
const RETAINED_RUNS = 10;

/** A run that has not begun. */
export function newRun(hash: string): RunRecord {
  return { hash, started: new Set(), finished: new Set(), before: new Map(), attempt: 1, completed: 0 };
}

/** Known marks: each reconcile needs those of all nodes. */
const knownMarks = boundedCache<string>({ bytes: 16 * 2 ** 20, weigh: textWeight });

/** The mark of a node: a node that is created again under its name has the same one. */
export function markOf(node: string): string {
  return knownMarks.of(node, () => createHash('sha256').update(node).digest('hex').slice(0, MARK_DIGITS));
}

export function hasStarted({ started }: RunRecord, node: string): boolean {
  return started.has(markOf(node));
}

export function hasFinished({ finished }: RunRecord, node: string): boolean {
  return finished.has(markOf(node));
}

/**
 * The record with further nodes; the same object where it has them all. A node whose run has finished was started, too.
 */
export function withNodes(
  record: RunRecord,
  { started = [], finished = [] }: { started?: readonly string[]; finished?: readonly string[] },
): RunRecord {
  const done = new Set([...record.finished, ...finished.map(markOf)]);
  const begun = new Set([...record.started, ...started.map(markOf), ...done]);
  if (done.size === record.finished.size && begun.size === record.started.size) return record;
  return { ...record, started: begun, finished: done };
}

/** The record with what was wrong with these nodes before. */
export function withBaselines(record: RunRecord, nodes: ReadonlyMap<string, NodeBaseline>): RunRecord {
  if (nodes.size === 0) return record;
  const entries = [...nodes].map(([node, baseline]) => [markOf(node), baseline] as const);
  return { ...record, before: new Map([...record.before, ...entries]) };
}

/** The record without these nodes: what the run did is lost with them. The same object where there are none. */
export function withoutNodes(record: RunRecord, nodes: readonly string[]): RunRecord {
  if (nodes.length === 0) return record;
  const lost = new Set(nodes.map(markOf));
  return withoutMarks(record, (mark) => lost.has(mark));
}

/**
 * The record without nodes on which the run was started and has not finished, other than these: nothing was done there, and nothing
 * shows there what the run does. The same object where there are none.
 */
export function withoutUnfinished(record: RunRecord, others: readonly string[]): RunRecord {
  const known = new Set(others.map(markOf));
  const isLost = (mark: string): boolean => !record.finished.has(mark) && !known.has(mark);
  return [...record.started].some(isLost) ? withoutMarks(record, isLost) : record;
}

function withoutMarks(record: RunRecord, isLost: (mark: string) => boolean): RunRecord {
  const others = (marks: ReadonlySet<string>): Set<string> =>
    new Set([...marks].filter((mark) => !isLost(mark)));
  return {
    ...record,
    started: others(record.started),
    finished: others(record.finished),
    before: new Map([...record.before].filter(([mark]) => !isLost(mark))),
  };
}

/** The record with another attempt begun: only nodes on which it has finished, or that run it now, count as started. */
export function withAttempt(record: RunRecord, attempt: number, active: readonly string[]): RunRecord {
  if (attempt <= record.attempt) return record;
  const running = active.map(markOf).filter((mark) => record.started.has(mark));
  return { ...record, attempt, started: new Set([...record.finished, ...running]) };
}

/** The marks as they are stored: in order, without separators. */
export function marksText(marks: ReadonlySet<string>): string {
  return [...marks].sort().join('');
}

/** Parses stored marks; undefined: the text was not written by `marksText`. */
export function readMarks(text: string): ReadonlySet<string> | undefined {
  if (text.length % MARK_DIGITS !== 0 || !/^[0-9a-f]*$/.test(text)) return undefined;
  const marks = new Set<string>();
  for (let at = 0; at < text.length; at += MARK_DIGITS) marks.add(text.slice(at, at + MARK_DIGITS));
  return marksText(marks) === text ? marks : undefined;
}

/**
 * The records to retain: the last ten, and every other one that a plan names, as a plan that is applied again must find that its
 * run is over.
 *
 * @param records the newest first
 * @param named hashes of the runs that plans lead to
 */
export function retainedRuns(records: readonly RunRecord[], named: ReadonlySet<string>): RunRecord[] {
  return records.filter(({ hash }, index) => index < RETAINED_RUNS || named.has(hash));
}
