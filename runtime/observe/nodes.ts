import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import { bareMetadata } from './bare.ts';
import type { Reflector, ReflectorOptions } from './reflector.ts';

/** Nodes are watched from the first time one is asked for: most installations need no right to see them. */
export interface Nodes {
  /** Undefined: there is none of that name, or it is not known yet. */
  get(name: string): KubeObject | undefined;
  readonly labels: NodeLabels;
  /** Undefined as long as nobody has asked. */
  readonly reflector: Reflector | undefined;
}

/**
 * @param watch makes the reflector, not yet started
 * @param onKnown it has just been found out that nodes cannot be seen; that they can, the reflector tells
 */
export function createNodes(
  watch: (own: Required<Pick<ReflectorOptions, 'keep' | 'onError'>>) => Reflector,
  onError: (error: unknown) => void,
  onKnown: () => void,
): Nodes {
  let reflector: Reflector | undefined;
  let refused = false;

  function started(): Reflector {
    if (reflector !== undefined) return reflector;
    reflector = watch({
      keep: narrow,
      onError(error) {
        onError(error);
        const before = refused;
        // Whatever else fails is tried again, and waited for.
        refused = error instanceof ApiError && error.status.code === 403;
        if (refused && !before) onKnown();
      },
    });
    reflector.start();
    return reflector;
  }

  return {
    get: (name) => started().get(name),
    labels: {
      get state() {
        if (started().synced) return 'known';
        return refused ? 'unreadable' : 'pending';
      },
      of: (name) => {
        const node = started().get(name);
        return node && (node.metadata.labels ?? {});
      },
    },
    get reflector() {
      return reflector;
    },
  };
}

/** A node down to its labels and conditions: what images it holds is most of it, and of no interest here. */
function narrow({ apiVersion, kind, metadata, ...node }: KubeObject): KubeObject {
  const { conditions } = (node['status'] ?? {}) as { conditions?: { type: string; status: string }[] };
  const { labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...bareMetadata(metadata),
      ...(labels === undefined ? {} : { labels }),
    },
    ...(conditions === undefined
      ? {}
      : { status: { conditions: conditions.map(({ type, status }) => ({ type, status })) } }),
  };
}
