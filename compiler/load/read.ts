import type { Document } from 'yaml';
import type { Json } from '../../schemas/wire/json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import { HostError, TooMuch } from '../host.ts';
import type { CompilerHost } from '../host.ts';
import { createBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { shownPath } from './files.ts';
import { createFindings } from './findings.ts';
import type { Findings } from './findings.ts';
import { containerKeys } from './locate.ts';
import { decode, eachDocument, isLimit, tooLarge } from './parse.ts';
import type { Extent } from './parse.ts';
import { toPlain } from './plain.ts';
import { readSimple } from './simple-yaml.ts';
import type { SimpleText } from './simple-yaml.ts';

/** The text of a file; undefined, with diagnostics, if it cannot be read. */
export function readSource(
  host: CompilerHost,
  path: string,
  budget: Budget,
): { source: Source | undefined; diagnostics: Diagnostic[] } {
  return readWithin(shownPath(host, path), (most) => host.readFile(path, most), budget);
}

/** A text that does not come from a file of the state, such as standard input or the output of a command. */
export interface GivenText {
  /** The name under which it is shown. */
  file: string;
  bytes: Uint8Array;
}

/** The same for a text that was read already. */
export function readGiven({ file, bytes }: GivenText, budget: Budget): ReturnType<typeof readSource> {
  return readWithin(
    file,
    (most) => {
      if (bytes.length > most) throw new TooMuch(`it is larger than ${most} bytes`);
      return bytes;
    },
    budget,
  );
}

function readWithin(
  file: string,
  read: (most: number) => Uint8Array,
  budget: Budget,
): { source: Source | undefined; diagnostics: Diagnostic[] } {
  const refused = (): Diagnostic[] => budget.problems({ source: { file, text: '' }, start: 0, end: 0 });
  budget.reading(file);
  if (!budget.take('files', 1)) return { source: undefined, diagnostics: refused() };
  try {
    const bytes = read(budget.limits.fileBytes);
    if (!budget.take('readBytes', bytes.length)) return { source: undefined, diagnostics: refused() };
    const { source, diagnostics } = decode(file, bytes);
    return { source: diagnostics.length > 0 ? undefined : source, diagnostics };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    if (error instanceof TooMuch) return { source: undefined, diagnostics: tooLarge(file).diagnostics };
    return { source: undefined, diagnostics: [diagnostic('KR1001', { path: file, reason: error.reason })] };
  }
}

/** One YAML document as plain data, with diagnostics about it. */
export interface PlainDocument {
  value: Json;
  at: Extent;
  findings: Findings;
}

/**
 * The documents of a text as plain data, without those that have a syntax error; none if a limit was reached.
 * Never throws.
 *
 * @param keeps whether a value is needed; other values become null and take no memory
 */
export function readYaml(
  source: Source,
  budget: Budget = createBudget(),
  keeps: (value: Json) => boolean = () => true,
): { documents: PlainDocument[]; diagnostics: Diagnostic[] } {
  const simple = readSimple(source.text, budget.limits, keeps);
  if (simple !== undefined && withinBudget(budget, simple)) {
    const documents = simple.documents.map((each) => ({ ...each, findings: createFindings(budget) }));
    return { documents, diagnostics: [] };
  }
  return parseAny(source, budget, keeps);
}

/** Whether the budget has enough tokens and documents for a text; if so, they are taken. */
export function withinBudget(budget: Budget, { tokens, documents }: SimpleText): boolean {
  if (budget.remaining('tokens') < tokens || budget.remaining('documents') < documents.length) return false;
  return budget.take('tokens', tokens) && budget.take('documents', documents.length);
}

/** As `readYaml`, with the parser that reads every YAML. */
export function parseAny(
  source: Source,
  budget: Budget,
  keeps: (value: Json) => boolean,
): { documents: PlainDocument[]; diagnostics: Diagnostic[] } {
  const documents: PlainDocument[] = [];
  const diagnostics = eachDocument(source, budget, (document, at) => {
    const { value, findings } = toPlain(document, source, budget);
    if (!keeps(value)) documents.push({ value: null, at, findings });
    else documents.push({ value, at: withKeys(document, at), findings });
  });
  return { documents: diagnostics.some(isLimit) ? [] : documents, diagnostics };
}

function withKeys(document: Document, at: Extent): Extent {
  const keys = containerKeys(document);
  return keys === undefined ? at : { ...at, keys };
}
