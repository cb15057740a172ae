import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { projectClaim } from '../../semantics/claims/unit.ts';
import { kinds } from '../../semantics/kinds/registry.ts';
import type { Reflector, ReflectorOptions } from './reflector.ts';

/** Claims are watched once a target has some, and only those of such targets: most installations need no right to see any. */
export interface Claims {
  /** Those that `known` shows; before they are known, undefined, or why the server does not show them. */
  whenKnown(known: () => readonly KubeObject[]): readonly KubeObject[] | ApiError | undefined;
  /** Undefined as long as nobody has asked. */
  readonly reflector: Reflector | undefined;
}

type Own = Required<Pick<ReflectorOptions, 'onSync' | 'onError'>> & {
  labelSelector?: string;
  keep(object: KubeObject): KubeObject;
};

/**
 * @param watch makes the reflector, not yet started
 * @param onKnown the claims are known, or it has just been found out that they cannot be seen
 */
export function createClaims(
  watch: (own: Own) => Reflector,
  onError: (error: unknown) => void,
  onKnown: () => void,
): Claims {
  let reflector: Reflector | undefined;
  let refusal: ApiError | undefined;

  function started(): Reflector {
    if (reflector !== undefined) return reflector;
    const label = sharedLabel();
    reflector = watch({
      ...(label === undefined ? {} : { labelSelector: label }),
      keep: projectClaim,
      onSync() {
        refusal = undefined;
        onKnown();
      },
      onError(error) {
        onError(error);
        const first = refusal === undefined;
        refusal = error instanceof ApiError && error.status.code === 403 ? error : undefined;
        if (first && refusal !== undefined) onKnown();
      },
    });
    reflector.start();
    return reflector;
  }

  return {
    whenKnown: (known) => (started().synced ? known() : refusal),
    get reflector() {
      return reflector;
    },
  };
}

/** The key of a label that the claims of all kinds have, so that no others are watched; undefined: there is none. */
function sharedLabel(): string | undefined {
  const labels = kinds.flatMap(({ uses }) => uses.flatMap((use) => (use.of === 'Claims' ? [use.label] : [])));
  return new Set(labels).size === 1 ? labels[0] : undefined;
}
