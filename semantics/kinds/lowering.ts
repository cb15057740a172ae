import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/*
 * What an object becomes that is compiled to kinds of Kubernetes (`kruise build`), and what is lost by it. The rows are data: the
 * verdict about each object, the comment in what is written, and the page docs/reference/build.md all come from them.
 *
 * A row is a reason to stay where the object asks for something that would happen wrongly without a runtime: data would be lost, pods
 * would be updated that are to be kept, or another controller would wait in vain. It is a loss where the same pods result by other
 * means.
 */

/** What a kind becomes. All functions are pure. */
export type Lowering = NoLowering | LoweringToObject | LoweringIntoTemplate;

/** No object of the kind can be compiled. */
interface NoLowering {
  readonly of: 'nothing';
  /** A clause: `its pods come and go with nodes`. */
  readonly why: string;
}

export interface LoweringToObject {
  readonly of: 'object';
  readonly to: { readonly apiVersion: string; readonly kind: string };
  /** What an object becomes several objects for: `for each node that its template names`. Undefined: it becomes one. */
  readonly each?: string;
  /** Why objects stay as they are. */
  readonly stays: readonly LoweringRow[];
  /** What objects lose. */
  readonly losses: readonly LoweringRow[];
  /** What is different for every object of the kind, and changes no pod's content: clauses. */
  readonly differs: readonly string[];
  /** What becomes of one object, which is valid; a manifest of any served version. */
  lower(object: KubeObject, around: Neighbors): Lowered;
}

/** Objects become a part of the pod template of the workload whose pods they place, and are gone. */
export interface LoweringIntoTemplate {
  readonly of: 'template';
  readonly stays: readonly LoweringRow[];
  readonly losses: readonly LoweringRow[];
  readonly differs: readonly string[];
  /** Without objects, where it does not stay. */
  lower(object: KubeObject): Lowered;
  /** The template of `owner` with what an object adds of which no row of `stays` holds. */
  into(template: JsonObject, object: KubeObject, owner: KubeObject): JsonObject;
}

/** What other manifests of the same state say about an object. */
export interface Neighbors {
  /** An autoscaler sets its replicas, so that those of its manifest are what it starts with. */
  readonly isScaled: boolean;
  /** Containers that others wait for are to be native sidecars; default: no. */
  readonly isNative?: boolean;
  /** The manifests of its namespace; those of all namespaces for an object that is in none. */
  readonly namespaces: readonly KubeObject[];
  /** All manifests of objects in its namespace, its own included. */
  readonly inNamespace: readonly KubeObject[];
  /** Objects in its namespace that the last build has written, as far as they can be read. Default: none. */
  readonly before?: readonly KubeObject[];
}

/** One thing that a manifest may ask for, and what becomes of it. */
export interface LoweringRow {
  /** What the manifest asks for: `updates in place`. */
  readonly what: string;
  /** What happens instead, or why that needs a runtime: a clause. */
  readonly instead: string;
}

/** An object that is built; without an apiVersion and kind it has those of the lowering. */
export type BuiltObject = Partial<Pick<KubeObject, 'apiVersion' | 'kind'>> &
  Omit<KubeObject, 'apiVersion' | 'kind'>;

/** What becomes of one object: at least one other, or a part of a template. Exact: no loss. */
export type Lowered =
  | { readonly objects: readonly KubeObject[]; readonly losses: readonly LoweringRow[] }
  | { readonly stays: readonly LoweringRow[] };

/** A row with the objects that it is about, by what the kind reads of them. */
export interface RowOf<Read> extends LoweringRow {
  applies(read: Read): boolean;
}

/**
 * A lowering whose rows are asked about what `read` returns, which is called once for each object.
 *
 * @param lower the object, of which no row of `stays` holds
 */
export function loweringTo<Read>(
  parts: Omit<LoweringToObject, 'of' | 'stays' | 'losses' | 'lower'> & {
    stays: readonly RowOf<Read>[];
    losses: readonly RowOf<Read>[];
    read(object: KubeObject, around: Neighbors): Read;
    lower(object: KubeObject, read: Read): BuiltObject | readonly BuiltObject[];
  },
): LoweringToObject {
  const { to, each, stays, losses, differs, read, lower } = parts;
  return {
    of: 'object',
    to,
    ...(each !== undefined && { each }),
    stays,
    losses,
    differs,
    lower(object, around) {
      const found = read(object, around);
      const staying = stays.filter((row) => row.applies(found));
      if (staying.length > 0) return { stays: staying };
      const { apiVersion, kind } = to;
      const built = lower(object, found);
      return {
        objects: [built].flat().map((one) => ({ apiVersion, kind, ...one }) as KubeObject),
        losses: losses.filter((row) => row.applies(found)),
      };
    },
  };
}
