import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Reflector, ReflectorOptions } from './reflector.ts';

/** A resource that is watched from the first question on: most installations have no need, and no right, to see it. */
export interface OnDemand {
  /** `pending`: it is on its way, and worth waiting for; an error: the server does not show it. */
  readonly state: 'known' | 'pending' | ApiError;
  /** Watched from now on. */
  started(): Reflector;
  /** Undefined as long as nobody has asked. */
  readonly reflector: Reflector | undefined;
}

/** What the reflector of such a resource calls. */
export type OnDemandSinks = Required<Pick<ReflectorOptions, 'onSync' | 'onError'>>;

/**
 * @param watch makes the reflector, not yet started
 * @param onKnown it is known, or it has just been found out that it cannot be seen
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
        // Whatever else fails is tried again, and waited for.
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
