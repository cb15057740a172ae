import type { DeleteOptions, ObjectKey, WriteOptions } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UserInfo } from '../access/users.ts';
import type { Answers } from '../webhooks/answers.ts';

/** Options of a write beyond those of the port. */
export interface RequestOptions extends WriteOptions {
  /** Receives the texts of `Warning` headers: unknown and duplicate fields under `Warn`, deprecations. */
  warn?: (text: string) => void;
  /** Paths of duplicate fields in the request text (`spec.replicas`), which a parsed body does not show. */
  duplicates?: readonly string[];
  /** The name in the URL, for a POST to a subresource. */
  at?: ObjectKey;
  /** The requesting user with groups; default: an administrator. */
  requester?: UserInfo;
  /** What webhooks answered to this request in its earlier attempts; without it, those of controllers. */
  webhooks?: Answers;
  /** The object is known to be valid, and validating it takes long. */
  isChecked?: boolean;
}

/** Options of a deletion beyond those of the port. */
export interface DeletionOptions extends DeleteOptions {
  /** Receives the texts of `Warning` headers. */
  warn?: (text: string) => void;
  /** Receives the last state of a removed object, with the resourceVersion of its deletion. */
  removed?: (last: KubeObject) => void;
  /** The requesting user with groups; default: an administrator. */
  requester?: UserInfo;
  /** What webhooks answered to this request in its earlier attempts; without it, those of controllers. */
  webhooks?: Answers;
  /** Part of another request, which was admitted. */
  isAdmitted?: boolean;
}
