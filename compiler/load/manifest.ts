import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind, PlannedKind, StandingKind } from '../../semantics/kinds/kind.ts';
import type { Origin } from './locate.ts';

/** One object of a registered kind. */
export interface ManifestOf<Of extends Kind> {
  /** Group, kind, namespace and name; the version does not identify an object. */
  id: string;
  /** The registered kind; `kind` is its name without the group. */
  type: Of;
  kind: string;
  /** Undefined if the manifest names none, and for a cluster-scoped kind. */
  namespace: string | undefined;
  name: string;
  object: KubeObject;
  origin: Origin;
}

/** One object of a planned kind. */
export type Manifest = ManifestOf<PlannedKind>;

/** One object that is reconciled at once. */
export type StandingManifest = ManifestOf<StandingKind>;
