import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { GroupKind } from '../owner.ts';
import { controllerId, groupKindOf, ownerId } from '../owner.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { objectsIn } from '../values/json-shape.ts';
import { quoted } from '../pod/last-failure.ts';
import { numberOf, objectOf, textOf } from '../values/read.ts';
import { countText, truncateUtf8 } from '../values/text.ts';
import { visibleText } from '../values/unsafe-text.ts';
import { tickOf } from '../children/tick.ts';
import { childResources, type ChildKind } from './resource.ts';

export type ChildState = 'active' | 'succeeded' | 'failed';

const MOST_REASON_BYTES = 64;

/** An object that was created for a time of the schedule. */
export interface Child {
  object: KubeObject;
  kind: ChildKind;
  /** The time that it was created for, milliseconds since 1970; undefined: it does not say so, or has another name. */
  tick: number | undefined;
  state: ChildState;
  /** Why it has failed, as a clause, in the words of its controller; undefined: it has not, or does not say. */
  failure: string | undefined;
  /** `status.startTime`; empty: it has not started. */
  startTime: string;
  isLeaving: boolean;
}

/**
 * The children among these objects, by name. OpenKruise finds them by the name of their controller, so that an object takes
 * over those of an earlier one of its name; here the uid must match, too.
 */
export function childrenOf(target: KubeObject, objects: readonly KubeObject[]): Child[] {
  const owner = ownerId(target);
  return objects
    .filter((object) => controllerId(object) === owner)
    .flatMap((object): Child[] => {
      const kind = childKindOf(groupKindOf(object));
      return kind === undefined ? [] : [readChild(target, object, kind)];
    })
    .sort((a, b) => compareCodePoints(a.object.metadata.name, b.object.metadata.name));
}

function childKindOf({ group, kind }: GroupKind): ChildKind | undefined {
  const found = Object.values(childResources).find((each) => each.group === group && each.kind === kind);
  return found === undefined ? undefined : (kind as ChildKind);
}

function readChild(target: KubeObject, object: KubeObject, kind: ChildKind): Child {
  const { startTime } = objectOf(object['status']);
  const end = endOf(object, kind);
  return {
    object,
    kind,
    tick: tickOf(target, object),
    state: end === undefined ? 'active' : end.type === 'Complete' ? 'succeeded' : 'failed',
    failure: end?.type === 'Failed' ? failureText(end) : undefined,
    startTime: typeof startTime === 'string' ? startTime : '',
    isLeaving: object.metadata.deletionTimestamp !== undefined,
  };
}

/** Complete or Failed, whichever condition comes first (OpenKruise advancedcronjob, section 3); undefined: it goes on. */
function endOf(object: KubeObject, kind: ChildKind): Condition | undefined {
  if (kind === 'ImageListPullJob') return endOfList(objectOf(object['status']));
  const conditions = objectsIn(objectOf(object['status'])['conditions']) as unknown as Condition[];
  return conditions.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

/** One that pulls images says it by numbers. */
function endOfList(status: JsonObject): Condition | undefined {
  if (textOf(status['completionTime']) === '') return undefined;
  const [desired, succeeded] = [numberOf(status['desired']) ?? 0, numberOf(status['succeeded']) ?? 0];
  return desired === succeeded
    ? { type: 'Complete', status: 'True' }
    : {
        type: 'Failed',
        status: 'True',
        message: `${desired - succeeded} of ${countText(desired, 'image')} failed`,
      };
}

/** The message may hold what the author of a template has written. */
function failureText(end: Condition): string | undefined {
  const [reason, message] = [textOf(end.reason), textOf(end.message)];
  const why = visibleText(truncateUtf8(reason, MOST_REASON_BYTES));
  const said = message.trim() === '' ? '' : quoted(message, 'start');
  return [why, said].filter((each) => each !== '').join(': ') || undefined;
}
