import type { JsonObject } from '../../../schemas/wire/json.ts';
import { type Lifecycle, readLifecycle } from '../../../semantics/lifecycle/hooks.ts';
import { LIFECYCLE_LABEL, type Pod } from '../../../semantics/pod/types.ts';
import { type Parts, pod, yes } from '../pod/pods.ts';
import { IN_PLACE_READY } from '../../../semantics/pod/types.ts';

export const DRAIN = 'example.com/drain';
export const READY = 'example.com/ready';
export const GUARD = 'example.com/guard';

/** Each hook has one label; `more` is added to all of them. */
export function hooks(more: JsonObject = {}): Lifecycle {
  return readLifecycle({
    preDelete: { labelsHandler: { [DRAIN]: 'true' }, ...more },
    inPlaceUpdate: { labelsHandler: { [READY]: 'true' }, ...more },
    preNormal: { labelsHandler: { [GUARD]: 'true' }, ...more },
  });
}

/** A scheduled pod in this state, with these labels of hooks and these finalizers. */
export function podIn(
  state: string | undefined,
  labels: readonly string[] = [],
  finalizers: readonly string[] = [],
  parts: Parts = {},
): Pod {
  const made = pod({ conditions: [yes(IN_PLACE_READY)], ...parts });
  return {
    ...made,
    metadata: {
      ...made.metadata,
      namespace: 'shop',
      labels: {
        ...(state === undefined ? {} : { [LIFECYCLE_LABEL]: state }),
        ...Object.fromEntries(labels.map((key) => [key, 'true'])),
      },
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
    },
    spec: { ...made.spec, nodeName: 'node-1' },
  };
}
