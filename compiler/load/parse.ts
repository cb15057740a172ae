import { parseAllDocuments } from 'yaml';
import type { Document } from 'yaml';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';

/** How a template is called, whose syntax errors would be beside the point. */
export const TEMPLATE_DETAIL = 'it holds {{ }}, as templates do';

const MEBIBYTE = 1024 * 1024;
const SIZE_LIMIT = 16 * MEBIBYTE;
/** The parser recurses; a text nested deeper than this is refused before it starts. */
const FLOW_DEPTH_LIMIT = 500;

/** Bytes to text: UTF-8 only, without byte order mark. Line ends stay as they are. */
export function decode(file: string, bytes: Uint8Array): { source: Source; diagnostics: Diagnostic[] } {
  if (bytes.length > SIZE_LIMIT) {
    const source = { file, text: '' };
    const args = { mebibytes: Math.ceil(bytes.length / MEBIBYTE), limit: SIZE_LIMIT / MEBIBYTE };
    return { source, diagnostics: [diagnostic('KR1003', args, { source, start: 0, end: 0 })] };
  }
  try {
    return {
      source: { file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) },
      diagnostics: [],
    };
  } catch {
    const source = { file, text: '' };
    return { source, diagnostics: [diagnostic('KR1002', {}, { source, start: 0, end: 0 })] };
  }
}

/** The YAML documents of a text, in order; where there are errors, no documents. Never throws. */
export function parseYaml(source: Source): { documents: Document[]; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const deep = deepFlow(source.text);
  if (deep !== undefined) {
    const place = { source, start: deep, end: deep + 1 };
    return { documents: [], diagnostics: [diagnostic('KR1011', { limit: FLOW_DEPTH_LIMIT }, place)] };
  }
  let documents: Document[];
  try {
    const parsed = parseAllDocuments(source.text, {
      version: '1.2',
      schema: 'core',
      merge: false,
      uniqueKeys: false,
      prettyErrors: false,
      keepSourceTokens: false,
      logLevel: 'silent',
      strict: true,
    });
    documents = Array.isArray(parsed) ? parsed : [];
  } catch (error) {
    // Block nesting beyond the stack ends here, and nothing else is known to.
    const place = { source, start: 0, end: 0 };
    const found =
      error instanceof RangeError
        ? diagnostic('KR1011', { limit: FLOW_DEPTH_LIMIT }, place)
        : diagnostic('KR1004', { detail: error instanceof Error ? error.message : String(error) }, place);
    return { documents: [], diagnostics: [found] };
  }
  for (const document of documents) {
    // The errors after the first are mostly consequences of it.
    const [error] = document.errors;
    if (error !== undefined) {
      const [start, end] = error.pos;
      diagnostics.push(
        diagnostic('KR1004', { detail: detailOf(error.message, source.text) }, { source, start, end }),
      );
    }
    if (document.directives?.yaml.explicit === true) {
      const start = Math.max(0, source.text.indexOf('%YAML'));
      diagnostics.push(diagnostic('KR1020', {}, { source, start, end: start + 5 }));
    }
  }
  return { documents: diagnostics.length > 0 ? [] : documents, diagnostics };
}

/** What the parser says; of a template that would be beside the point. */
function detailOf(message: string, text: string): string {
  return /\{\{/.test(text) ? TEMPLATE_DETAIL : firstSentence(message);
}

function firstSentence(message: string): string {
  const line = message.split('\n', 1)[0] ?? message;
  return line.charAt(0).toLowerCase() + line.slice(1);
}

/** Where `[` and `{` pile up beyond the limit; quotes are not looked at, a text cannot get deeper by them. */
function deepFlow(text: string): number | undefined {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) {
      if (++depth > FLOW_DEPTH_LIMIT) return i;
    } else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--;
  }
  return undefined;
}
