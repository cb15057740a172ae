import type { Json } from '../../schemas/wire/json.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import { parseYaml } from './parse.ts';
import { toPlain } from './plain.ts';

/** One YAML document as plain data, with what is odd about it. */
export interface PlainDocument {
  value: Json;
  diagnostics: Diagnostic[];
}

/** The documents of a text as plain data; with a syntax error there are none. Never throws. */
export function readYaml(source: Source): { documents: PlainDocument[]; diagnostics: Diagnostic[] } {
  const { documents, diagnostics } = parseYaml(source);
  return { documents: documents.map((document) => toPlain(document, source)), diagnostics };
}
