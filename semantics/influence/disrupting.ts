import type { Action } from '../decision.ts';
import type { Disruption } from '../limits/slots.ts';
import { IN_PLACE_READY, KRUISE_POD_READY } from '../pod/types.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';

/** A pod is ready only while all of these are True. */
const READINESS: ReadonlySet<string> = new Set(['Ready', IN_PLACE_READY, KRUISE_POD_READY]);

/** A write that may make an existing pod unavailable. */
export interface Disrupting {
  /** The uid of the pod. */
  uid: string;
  how: Disruption;
}

/**
 * Whether an action may make its pod unavailable: it deletes the pod, changes an image or resources, or closes a gate. Undefined: it
 * writes anything else, such as labels.
 */
export function disruptingOf(action: Action): Disrupting | undefined {
  if (action.kind !== 'Pod') return undefined;
  switch (action.do) {
    case 'create':
      return undefined;
    case 'delete':
      return { uid: action.uid, how: 'Delete' };
    case 'patch': {
      const { metadata, spec, status } = action.body;
      const how = howPatched(action.subresource, objectOf(spec), objectOf(status));
      if (how !== undefined) return { uid: textOf(objectOf(metadata)['uid']), how };
      return action.next && disruptingOf(action.next);
    }
  }
}

function howPatched(
  subresource: string | undefined,
  { containers }: ReturnType<typeof objectOf>,
  { conditions }: ReturnType<typeof objectOf>,
): Disruption | undefined {
  if (subresource === 'resize') return 'Resize';
  if (listOf(containers).some(({ image }) => image !== undefined)) return 'Update';
  const isClosed = listOf(conditions).some(
    ({ type, status }) => READINESS.has(textOf(type)) && status === 'False',
  );
  return isClosed ? 'Update' : undefined;
}
