import type { Json } from '../../schemas/wire/json.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import { parseYaml } from './parse.ts';
import { toPlain } from './plain.ts';
import { quickRead } from './quick.ts';

/** One YAML document as plain data, with what is odd about it. */
export interface PlainDocument {
  value: Json;
  diagnostics: Diagnostic[];
}

/**
 * The documents of a text as plain data. Texts in everyday YAML take the quick reader; all others, and all with
 * anything to complain about, the full parser. With a syntax error there are no documents. Never throws.
 */
export function readYaml(source: Source): { documents: PlainDocument[]; diagnostics: Diagnostic[] } {
  const quick = quickRead(source.text);
  if (quick !== undefined)
    return { documents: quick.map((value) => ({ value, diagnostics: [] })), diagnostics: [] };
  const { documents, diagnostics } = parseYaml(source);
  return { documents: documents.map((document) => toPlain(document, source)), diagnostics };
}
