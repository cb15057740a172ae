import type { DeleteOptions, ObjectKey, WriteOptions } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { UserInfo } from '../access/users.ts';

/** What a write brings besides the words of the port. */
export interface RequestOptions extends WriteOptions {
  /** Takes the texts of `Warning` headers: unknown and repeated fields under `Warn`, deprecations. */
  warn?: (text: string) => void;
  /** Fields that the request's text gave twice, as paths (`spec.replicas`): a parsed body cannot show them. */
  duplicates?: readonly string[];
  /** The object that the URL names, where a subresource is posted to it. */
  at?: ObjectKey;
  /** Who asks, with the groups he is in; left out, he is an administrator. */
  requester?: UserInfo;
}

/** What a deletion brings besides the words of the port. */
export interface DeletionOptions extends DeleteOptions {
  /** Takes the texts of `Warning` headers. */
  warn?: (text: string) => void;
  /** Takes the last state of an object that went at once, with the resourceVersion of its deletion. */
  removed?: (last: KubeObject) => void;
}
