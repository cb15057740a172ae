import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Reflector, ReflectorOptions } from './reflector.ts';

/** A resource that is watched from its first use on: most installations neither need it nor have the right to list it. */
export interface OnDemand {
  /** `pending`: the first list has not completed; an error: the server refuses to list it. */
  readonly state: 'known' | 'pending' | ApiError;
  /** Starts the watch, unless it runs. */
  started(): Reflector;
  /** Undefined before the first use. */
  readonly reflector: Reflector | undefined;
}

/** What the reflector of such a resource calls. */
export type OnDemandSinks = Required<Pick<ReflectorOptions, 'onSync' | 'onError'>>;

/**
 * @param watch creates the reflector, not yet started
 * @param onKnown called when the resource is synced, or its list was refused for the first time
 */
export function createOnDemand(
  watch: (sinks: OnDemandSinks) => Reflector,
  onError: (error: unknown) => void,
  onKnown: () => void,
): OnDemand {
  let reflector: Reflector | undefined;
  let refusal: ApiError | undefined;

  function started(): Reflector {
    if (reflector !== undefined) return reflector;
    reflector = watch({
      onSync() {
        refusal = undefined;
        onKnown();
      },
      onError(error) {
        onError(error);
        const isFirst = refusal === undefined;
        // Any other failure is retried, and the state stays pending.
        refusal = error instanceof ApiError && error.status.code === 403 ? error : undefined;
        if (isFirst && refusal !== undefined) onKnown();
      },
    });
    reflector.start();
    return reflector;
  }

  return {
    get state() {
      return started().synced ? 'known' : (refusal ?? 'pending');
    },
    started,
    get reflector() {
      return reflector;
    },
  };
}
