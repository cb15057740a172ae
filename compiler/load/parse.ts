import { Composer, Lexer, Parser } from 'yaml';
import type { CST, Document, YAMLParseError } from 'yaml';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition, Source } from '../diagnostics/diagnostic.ts';
import { createBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { LIMITS, sizeText } from './limits.ts';
import { syntaxFault } from './syntax-errors.ts';
import type { SyntaxFault } from './syntax-errors.ts';

/** The problem text of a template, whose syntax errors would not help. */
export const TEMPLATE_DETAIL = 'it holds {{ }}, as templates do';

/** The parser is recursive; a text with deeper nesting is refused before a document is composed. */
const DEPTH_LIMIT = 500;
/** Parsing stops after this many documents with errors. */
const MOST_BROKEN = 20;

/** Decodes UTF-8 without byte order mark; refuses other bytes. Does not change line ends. */
export function decode(file: string, bytes: Uint8Array): { source: Source; diagnostics: Diagnostic[] } {
  if (bytes.length > LIMITS.fileBytes) return tooLarge(file);
  const standIn = standInOf(bytes);
  if (standIn !== undefined) {
    const source = { file, text: '' };
    return { source, diagnostics: [diagnostic('KR1029', standIn, { source, start: 0, end: 0 })] };
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

/** Longer files are no pointers of Git LFS, bytes. */
const LONGEST_POINTER = 1024;
const ENCRYPTED = '\0GITCRYPT\0';

/** What git stores in place of a file, if that is what the bytes are, and the command that gets the file. */
function standInOf(bytes: Uint8Array): { what: string; command: string } | undefined {
  const start = new TextDecoder().decode(bytes.subarray(0, ENCRYPTED.length));
  if (start === ENCRYPTED) return { what: 'encrypted by git-crypt', command: 'git-crypt unlock' };
  if (start !== 'version ht' || bytes.length > LONGEST_POINTER) return undefined;
  const [version = '', ...lines] = new TextDecoder().decode(bytes).split('\n');
  const isOfLfs = /^version https?:\/\/\S*$/.test(version) && version.includes('git-lfs');
  return isOfLfs && lines.some((line) => line.startsWith('oid sha256:'))
    ? { what: 'a pointer of Git LFS', command: 'git lfs pull' }
    : undefined;
}

/** A file that was not read because it is too large. */
export function tooLarge(file: string): { source: Source; diagnostics: Diagnostic[] } {
  const source = { file, text: '' };
  const args = { limit: sizeText(LIMITS.fileBytes) };
  return { source, diagnostics: [diagnostic('KR1003', args, { source, start: 0, end: 0 })] };
}

/** The extent of a document in its text: UTF-16 offsets, including what precedes its first line. */
export interface Extent {
  from: number;
  to: number;
  /** The positions of keys to which many diagnostics point, so that the document need not be parsed again. */
  keys?: KeyRanges;
}

/** Ranges of keys in a text. Mostly one: a list takes a fraction of the memory of a map, and every document has it. */
export type KeyRanges = readonly KeyRange[];

export interface KeyRange {
  /** Keys from the root of the document, joined with `/`. */
  path: string;
  start: number;
  end: number;
}

type Visit = (document: Document, at: Extent) => void;

/** Takes tokens of a budget; false when it is used up. */
type Spend = (tokens: number) => boolean;

/**
 * Parses the documents of a text, and calls `visit` for each that has no error. Holds only one document at a time, because
 * its tree takes many times the memory of its text. Never throws.
 */
export function eachDocument(source: Source, budget: Budget, visit: Visit): Diagnostic[] {
  const whole = { from: 0, to: source.text.length };
  const spend: Spend = (tokens) => budget.take('tokens', tokens * GENERAL);
  const visitNext: Visit = (document, at) => {
    if (budget.take('documents', 1)) visit(document, at);
  };
  const { diagnostics, brokenAt } = parsePart(source, whole, budget, spend, visitNext, true);
  if (brokenAt === undefined || diagnostics.some(isLimit)) return diagnostics;
  // The parser may take what follows an error, such as a quote that is not closed, for a part of the same document.
  const found: Diagnostic[] = [];
  for (const part of markedParts(source.text, brokenAt)) {
    found.push(...parsePart(source, part, budget, spend, visitNext).diagnostics);
    if (found.length >= MOST_BROKEN || found.some(isLimit) || budget.exceeded !== undefined) break;
  }
  return found.length === 0 ? diagnostics : found;
}

/** Whether a problem of a text is a limit, after which the rest was not read. */
export function isLimit({ code }: Diagnostic): boolean {
  return code === 'KR1011' || code === 'KR1035' || code === 'KR1036';
}

/** The parts of a text between lines of `---`, which begin a document wherever they are. Directives precede such a line. */
function* markedParts(text: string, from: number): Generator<Extent> {
  let start = from;
  let directives: number | undefined;
  for (const { index, 0: line } of text.matchAll(/^(?:---(?=\s|$)|.)/gm)) {
    if (index <= start) continue;
    if (line === '---') {
      const at = directives ?? index;
      yield { from: start, to: at };
      start = at;
    }
    if (line === '%') directives ??= index;
    else if (line !== '#') directives = undefined;
  }
  yield { from: start, to: text.length };
}

/**
 * Parses one document again, to find positions in it; its ranges count from the start of the source, as in every document.
 * Undefined if the budget for positions is used up.
 */
export function parseAgain(source: Source, at: Extent, budget: Budget): Document | undefined {
  if (budget.consume('placeTokens', 1) === 0) return undefined;
  let found: Document | undefined;
  const spend: Spend = (tokens) => budget.consume('placeTokens', tokens) === tokens;
  parsePart(source, at, budget, spend, (document) => {
    found ??= document;
  });
  return found;
}

/** The YAML documents of a text, in order; none if there are errors. Never throws. */
export function parseYaml(
  source: Source,
  budget: Budget = createBudget(),
): { documents: Document[]; diagnostics: Diagnostic[] } {
  const documents: Document[] = [];
  const diagnostics = eachDocument(source, budget, (document) => documents.push(document));
  return { documents: diagnostics.length > 0 ? [] : documents, diagnostics };
}

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  keepSourceTokens: false,
  logLevel: 'silent',
  strict: true,
} as const;

/** A token takes this parser many times as long as the one for simple texts, which most manifests are. */
const GENERAL = 3;
/** Tokens are taken from the budget in groups: taking each by itself would take as long as parsing it. */
const TOKENS_AT_ONCE = 1_000;
/** Lexemes that begin so are not tokens: spaces, and the lexer's mark before a scalar. */
const [SPACE, TAB, BEFORE_SCALAR] = [0x20, 0x09, 0x1f];

function parsePart(
  source: Source,
  part: Extent,
  budget: Budget,
  spend: Spend,
  visit: Visit,
  endsAtError = false,
): { diagnostics: Diagnostic[]; brokenAt: number | undefined } {
  const { documentTokens, valueText } = budget.limits;
  const text =
    part.from === 0 && part.to === source.text.length ? source.text : source.text.slice(part.from, part.to);
  const diagnostics: Diagnostic[] = [];
  const parser = new Parser();
  // Ranges count from the start of the source.
  parser.offset = part.from;
  const composer = new Composer(OPTIONS);
  /** The starts of the documents that the composer has not returned yet, and the start of the next one. */
  const starts: number[] = [];
  let next: number | undefined;
  let unspent = 0;
  let ofDocument = 0;
  let errors = 0;
  let brokenAt: number | undefined;

  function emit(document: Document, to: number): void {
    const from = starts.shift() ?? part.from;
    diagnostics.push(...problemsOf(document, text, source, part.from));
    if (diagnostics.length > 0) brokenAt ??= from;
    else visit(document, { from, to });
  }

  function accept(token: CST.Token): void {
    // One mistake can cause thousands of errors, and only the first is reported.
    if (token.type === 'error' && ++errors > MOST_BROKEN) return;
    next ??= token.offset;
    if (token.type === 'document') {
      starts.push(next);
      ofDocument = 0;
      errors = 0;
    }
    const end = next;
    if (token.type === 'document' || token.type === 'doc-end') next = undefined;
    for (const document of composer.next(token)) emit(document, end);
  }

  /** The diagnostics if a limit was exceeded at a lexeme, which ends parsing. */
  function limitAt(lexeme: string, position: SourcePosition): Diagnostic[] | undefined {
    if (parser.stack.length > DEPTH_LIMIT) return [diagnostic('KR1011', { limit: DEPTH_LIMIT }, position)];
    if (ofDocument > documentTokens)
      return [diagnostic('KR1036', { limit: `${documentTokens} YAML tokens` }, position)];
    if (lexeme.length > valueText)
      return [diagnostic('KR1036', { limit: `${sizeText(valueText)} in one value` }, position)];
    if (!spend(unspent)) return budget.problems(position);
    unspent = 0;
    return diagnostics.length >= MOST_BROKEN ? [] : undefined;
  }

  try {
    for (const lexeme of new Lexer().lex(text)) {
      const code = lexeme.charCodeAt(0);
      if (code !== SPACE && code !== TAB && code !== BEFORE_SCALAR) {
        unspent += 1;
        ofDocument += 1;
      }
      for (const token of parser.next(lexeme)) accept(token);
      if (endsAtError && brokenAt !== undefined) return { diagnostics, brokenAt };
      if (
        unspent >= TOKENS_AT_ONCE ||
        ofDocument > documentTokens ||
        lexeme.length > valueText ||
        parser.stack.length > DEPTH_LIMIT ||
        diagnostics.length >= MOST_BROKEN
      ) {
        const limit = limitAt(lexeme, positionAt(Math.max(part.from, parser.offset - lexeme.length)));
        if (limit !== undefined) return { diagnostics: [...diagnostics, ...limit], brokenAt };
      }
    }
    for (const token of parser.end()) accept(token);
    for (const document of composer.end()) emit(document, part.to);
  } catch (error) {
    // The only known error here is nesting that exceeds the stack.
    const position = positionAt(part.from);
    diagnostics.push(
      error instanceof RangeError
        ? diagnostic('KR1011', { limit: DEPTH_LIMIT }, position)
        : diagnostic('KR1004', { detail: error instanceof Error ? error.message : String(error) }, position),
    );
  }
  if (!spend(unspent)) diagnostics.push(...budget.problems(positionAt(part.to)));
  return { diagnostics, brokenAt };

  function positionAt(start: number): SourcePosition {
    return { source, start, end: start + 1 };
  }
}

/**
 * What makes a document unusable: its first error, and a directive that other readers ignore.
 *
 * @param text what was parsed, from offset `from` of the source
 */
function problemsOf(document: Document, text: string, source: Source, from: number): Diagnostic[] {
  const found: Diagnostic[] = [];
  // The errors after the first are mostly its consequences.
  const [error] = document.errors;
  if (error !== undefined) {
    found.push(syntaxDiagnostic(error, text, source, from));
  }
  if (document.directives?.yaml.explicit === true) {
    const start = Math.max(0, source.text.indexOf('%YAML'));
    found.push(diagnostic('KR1020', {}, { source, start, end: start + 5 }));
  }
  return found;
}

/** In a template, what the parser says would not help. */
function syntaxDiagnostic(error: YAMLParseError, text: string, source: Source, from: number): Diagnostic {
  const isTemplate = /\{\{/.test(source.text);
  const [start, end] = [error.pos[0] - from, error.pos[1] - from] as const;
  const fault: SyntaxFault = isTemplate
    ? { detail: TEMPLATE_DETAIL, start, end }
    : syntaxFault({ message: error.message, pos: [start, end] }, text);
  const at = (range: { start: number; end: number }): SourcePosition => ({
    source,
    start: from + range.start,
    end: from + range.end,
  });
  const { detail, help, related } = fault;
  const others = related === undefined ? [] : [{ message: related.message, position: at(related) }];
  return diagnostic('KR1004', { detail, ...(help === undefined ? {} : { help }) }, at(fault), others);
}
