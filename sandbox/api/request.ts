import type { ObjectKey, WriteOptions } from '../../schemas/wire/cluster.ts';

/** What a write brings besides the words of the port. */
export interface RequestOptions extends WriteOptions {
  /** Takes the texts of `Warning` headers: unknown and repeated fields under `Warn`, deprecations. */
  warn?: (text: string) => void;
  /** Fields that the request's text gave twice, as paths (`spec.replicas`): a parsed body cannot show them. */
  duplicates?: readonly string[];
  /** The object that the URL names, where a subresource is posted to it. */
  at?: ObjectKey;
}
