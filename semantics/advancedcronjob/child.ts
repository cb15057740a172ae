import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { GroupKind } from '../owner.ts';
import { controllerId, groupKindOf, ownerId } from '../owner.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { objectsIn } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { tickOf } from '../children/tick.ts';
import { childResources, type ChildKind } from './resource.ts';

export type ChildState = 'active' | 'succeeded' | 'failed';

/** An object that was created for a time of the schedule. */
export interface Child {
  object: KubeObject;
  kind: ChildKind;
  /** The time that it was created for, milliseconds since 1970; undefined: it does not say so, or has another name. */
  tick: number | undefined;
  state: ChildState;
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
  return {
    object,
    kind,
    tick: tickOf(target, object),
    state: stateOf(object),
    startTime: typeof startTime === 'string' ? startTime : '',
    isLeaving: object.metadata.deletionTimestamp !== undefined,
  };
}

/** Complete or Failed, whichever condition comes first (OpenKruise advancedcronjob, section 3). */
function stateOf(object: KubeObject): ChildState {
  const conditions = objectsIn(objectOf(object['status'])['conditions']) as unknown as Condition[];
  const end = conditions.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  if (end === undefined) return 'active';
  return end.type === 'Complete' ? 'succeeded' : 'failed';
}
