import type { Json } from '../../schemas/wire/json.ts';
import type { Extent } from './parse.ts';

/** The objects of OpenKruise in a text, cached so that a file that is equal in both states is read once. */
interface KnownText {
  /** Shared by equal files. */
  text: string;
  documents: readonly ReadDocument[];
}

/** A document of a text, as plain data. */
export interface ReadDocument {
  value: Json;
  at: Extent;
}

/** By the text itself. Texts without such objects are stored by their hash, which needs less memory. */
export interface ParseCache {
  texts: Map<string, KnownText>;
  foreignFiles: Set<string>;
}

export function createParseCache(): ParseCache {
  return { texts: new Map(), foreignFiles: new Set() };
}
