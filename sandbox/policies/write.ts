import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UserInfo } from '../access/users.ts';
import { viewOf, storedForm, type Served } from '../api/registry.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A valid write before it is stored, as admission sees it. */
export interface AdmittedWrite {
  operation: Operation;
  /** The version of the request. */
  served: Served;
  subresource?: string | undefined;
  /** '' for cluster-scoped objects. */
  namespace: string;
  name: string;
  /** In the version of the request; for some subresources an object of another kind. Undefined for deletions. */
  object?: KubeObject | undefined;
  /** The object before; undefined for creations. */
  before?: KubeObject | undefined;
  requester: UserInfo;
  /** Of a creation, the uid of the new object: what its reviews are numbered by. Clients that create equal objects differ in it. */
  newUid?: string | undefined;
  dryRun: boolean;
  /** Of a deletion, as its options ask for. */
  gracePeriodSeconds?: number | undefined;
  /** Receives the texts of `Warning` headers. */
  warn?: ((text: string) => void) | undefined;
}

/** The kind of the body of a write: of subresources with a kind of their own, that one. */
export function kindOf({ served, object, before }: AdmittedWrite): {
  group: string;
  version: string;
  kind: string;
} {
  const body = object ?? before;
  const { type, version } = served;
  if (body === undefined || body.kind === type.kind)
    return { group: type.group, version: version.version, kind: type.kind };
  const [group = '', own] = body.apiVersion.includes('/')
    ? body.apiVersion.split('/')
    : ['', body.apiVersion];
  return { group, version: own ?? '', kind: body.kind };
}

/** The write in another version of its type. Bodies of other kinds stay. */
export function inVersion(write: AdmittedWrite, served: Served): AdmittedWrite {
  if (served.version === write.served.version) return write;
  const converted = (object: KubeObject | undefined) =>
    object === undefined || object.kind !== served.type.kind
      ? object
      : viewOf(served, storedForm(write.served, object));
  return { ...write, served, object: converted(write.object), before: converted(write.before) };
}
