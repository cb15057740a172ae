import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { controllerOf, controllerReference, groupKindOf } from '../owner.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { hasFields, isListOf, isMapOf, isText, isWhole, parsedJson } from '../values/json-shape.ts';
import { remembered } from '../values/remembered.ts';
import type { NodeBaseline } from './harm.ts';
import { RUN_KIND_LABEL, RUN_TARGET_LABEL, runKindLabel } from './labels.ts';
import { marksText, readMarks, retainedRuns, type RunRecord } from './run-record.ts';

/** What a run did: data of a ControllerRevision cannot be changed, so this is an annotation. */
export const RUN_ANNOTATION = 'plan.kruise.io/run-record';

/** A run with the object that stores it. */
export interface StoredRun {
  record: RunRecord;
  object: KubeObject;
}

/** The most characters of an annotation with a record: the server limits all of them to 256 KiB. */
const MOST_CHARACTERS = 240_000;

/** The form in which a record is stored. */
interface StoredForm {
  attempt: number;
  completed: number;
  /** Marks of nodes on which it has finished, and of those that it was only started on. */
  finished: string;
  open: string;
  /** Marks of nodes with which nothing was wrong, by the time of that. */
  well: [at: number, marks: string][];
  /** What was wrong with other nodes, by mark. */
  worse: Record<string, NodeBaseline>;
}

/** The annotation of a record. Where it would be too long, it omits what was wrong with nodes before: they are not judged. */
export function recordText(record: RunRecord): string {
  const { started, finished, before, attempt, completed } = record;
  const open = new Set([...started].filter((mark) => !finished.has(mark)));
  const form: StoredForm = {
    attempt,
    completed,
    finished: marksText(finished),
    open: marksText(open),
    well: wellNodes(before),
    worse: Object.fromEntries([...before].filter(([, each]) => !isWell(each)).sort(byMark)),
  };
  const texts = [form, { ...form, worse: {} }, { ...form, worse: {}, well: [] }].map((each) =>
    JSON.stringify(each),
  );
  return texts.find((text) => text.length <= MOST_CHARACTERS) ?? texts[texts.length - 1] ?? '';
}

function wellNodes(before: RunRecord['before']): StoredForm['well'] {
  const byTime = new Map<number, Set<string>>();
  for (const [mark, baseline] of before) {
    if (!isWell(baseline)) continue;
    const marks = byTime.get(baseline.at) ?? new Set();
    byTime.set(baseline.at, marks.add(mark));
  }
  return [...byTime].sort(([a], [b]) => a - b).map(([at, marks]) => [at, marksText(marks)]);
}

function isWell({ bad, unavailable, restarts }: NodeBaseline): boolean {
  return bad.length === 0 && unavailable.length === 0 && Object.keys(restarts).length === 0;
}

function byMark([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareCodePoints(a, b);
}

const recordOf = remembered(readRecord);

/** The runs that these objects store, newest first. An object that was not written by these rules is left out. */
export function storedRuns(objects: readonly KubeObject[]): StoredRun[] {
  return objects
    .flatMap((object) => {
      const record = recordOf(object);
      return record === undefined ? [] : [{ record, object }];
    })
    .sort((a, b) => orderOf(b) - orderOf(a));
}

function orderOf({ object }: StoredRun): number {
  return typeof object['revision'] === 'number' ? object['revision'] : 0;
}

function readRecord({ metadata, ...object }: KubeObject): RunRecord | undefined {
  const data = object['data'];
  const form = parsedJson(metadata.annotations?.[RUN_ANNOTATION] ?? '');
  if (!hasFields(data, { hash: isText }) || !isForm(form)) return undefined;
  const [finished, open] = [readMarks(form.finished), readMarks(form.open)];
  if (finished === undefined || open === undefined) return undefined;
  const before = new Map(Object.entries(form.worse));
  for (const [at, text] of form.well)
    for (const mark of readMarks(text) ?? [])
      before.set(mark, { at, bad: [], unavailable: [], restarts: {} });
  const { attempt, completed } = form;
  const { hash } = data as { hash: string };
  return { hash, attempt, completed, finished, started: new Set([...finished, ...open]), before };
}

const isTexts = isListOf(isText);
const isBaseline = (value: unknown): boolean =>
  hasFields(value, { at: isWhole, bad: isTexts, unavailable: isTexts, restarts: isMapOf(isWhole) });
const isWellAt = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isWhole(value[0]) && isText(value[1]);

/** Checks every field: a user may have edited the annotation. */
function isForm(value: unknown): value is StoredForm {
  return hasFields(value, {
    attempt: isWhole,
    completed: isWhole,
    finished: isText,
    open: isText,
    well: isListOf(isWellAt),
    worse: isMapOf(isBaseline),
  });
}

/**
 * The object of a record that is not stored yet. It outlives the target, which git may apply again. One that another target
 * has created never returns: its record goes with it.
 *
 * @param taken names that other objects were found to have
 */
export function createRun(
  target: KubeObject,
  record: RunRecord,
  stored: readonly StoredRun[],
  taken: ReadonlySet<string>,
): Action {
  const [newest] = stored;
  const { name, namespace } = target.metadata;
  return {
    do: 'create',
    kind: 'ControllerRevision',
    verb: 'create run record',
    reason: 'what a run does is on record before it is done',
    object: {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: runName(name, record.hash, taken),
        ...(namespace === undefined ? {} : { namespace }),
        labels: { [RUN_KIND_LABEL]: runKindLabel(groupKindOf(target)), [RUN_TARGET_LABEL]: name },
        annotations: { [RUN_ANNOTATION]: recordText(record) },
        ...(controllerOf(target) === undefined
          ? {}
          : { ownerReferences: [{ ...controllerReference(target), controller: false }] }),
      },
      data: { hash: record.hash },
      revision: (newest === undefined ? 0 : orderOf(newest)) + 1,
    },
  };
}

/** Name of the stored run: `<target>-run-<8 characters of the hash>`, with a number if another object has that name. */
function runName(target: string, hash: string, taken: ReadonlySet<string>): string {
  const name = `${target.slice(0, 223)}-run-${hash.slice('h1:'.length, 'h1:'.length + 8)}`;
  let free = name;
  for (let n = 1; taken.has(free); n++) free = `${name}-${n}`;
  return free;
}

/** The write that stores a changed record. */
export function updateRun({ object }: StoredRun, record: RunRecord): Action {
  const { name, uid = '', resourceVersion = '' } = object.metadata;
  return {
    do: 'patch',
    kind: 'ControllerRevision',
    verb: 'update run record',
    reason: 'what a run does is on record before it is done',
    name,
    body: { metadata: { uid, resourceVersion, annotations: { [RUN_ANNOTATION]: recordText(record) } } },
  };
}

/** Deletes the runs that need not be remembered. */
export function deleteOldRuns(stored: readonly StoredRun[], named: ReadonlySet<string>): Action[] {
  const retained = new Set(
    retainedRuns(
      stored.map(({ record }) => record),
      named,
    ),
  );
  return stored
    .filter(({ record }) => !retained.has(record))
    .map(({ object: { metadata } }) => ({
      do: 'delete',
      kind: 'ControllerRevision',
      verb: 'delete run record',
      name: metadata.name,
      uid: metadata.uid ?? '',
      resourceVersion: metadata.resourceVersion ?? '',
      reason: 'more recent runs are retained',
    }));
}
