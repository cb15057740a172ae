import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Reflector, ReflectorOptions } from './reflector.ts';

/** A resource that is watched from its first use on: most installations neither need it nor have the right to list it. */
export interface OnDemand {
  /** `pending`: the first list has not completed; an error: the server refuses to list it, or does not serve it. */
  readonly state: 'known' | 'pending' | ApiError;
  /** Starts the watch, unless it runs. */
  started(): Reflector;
  /** Undefined before the first use. */
  readonly reflector: Reflector | undefined;
}

/** What the reflector of such a resource calls. */
export type OnDemandSinks = Required<Pick<ReflectorOptions, 'onSync' | 'onError'>>;

/**
 * So many say that the definition of a resource is gone, and its objects with it: the end of the watch, the list that follows, and one
 * more a second later. A server that has just started may not have read the definition yet.
 */
export const MOST_MISSING = 3;

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
  let missing = 0;

  function started(): Reflector {
    if (reflector !== undefined) return reflector;
    reflector = watch({
      onSync() {
        refusal = undefined;
        missing = 0;
        onKnown();
      },
      onError(error) {
        onError(error);
        const isFirst = refusal === undefined;
        const code = error instanceof ApiError ? error.status.code : undefined;
        missing = code === 404 ? missing + 1 : 0;
        // Any failure is retried. After another one than these the state stays pending.
        const isRefused = code === 403 || missing >= MOST_MISSING;
        refusal = isRefused && error instanceof ApiError ? error : undefined;
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
