import type { Root } from '../../schemas/generated/types/config.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../compiler/diagnostics/render.ts';
import { HostError } from '../../compiler/host.ts';
import type { FileChange } from '../../compiler/host.ts';
import {
  areManyInRoots,
  type RootReview,
  rootsMarkdown,
  rootsPage,
  rootsPlan,
} from '../../compiler/review/of-roots.ts';
import { pagesWithin } from '../../compiler/review/pages-within.ts';
import { forJson, forTerminal } from '../../compiler/text/escape.ts';
import { paintFor } from '../../compiler/text/paint.ts';
import { exitCode } from '../command/command.ts';
import type { Host } from '../host.ts';
import { pageHash } from '../page-hash.ts';

/** Holds back what the runs of the roots print and write, until all of them have ended. */
interface RootPrinter {
  /** `root` is undefined for plans of none. A second run of a root takes the place of the first. */
  run(root: Root | undefined, plan: (host: Host, onReviewed: (review: RootReview) => void) => number): void;
  /** Writes the files of all roots if none failed, prints everything, and returns the exit code. */
  finish(inside: string): number;
}

interface RootRun {
  root: Root | undefined;
  code: number;
  out: string;
  err: string;
  files: FileChange[];
  /** Undefined: what changes is not known, or the run is for no root. */
  review: RootReview | undefined;
}

export function createPrinter(host: Host, format: string, diagnostics: readonly Diagnostic[]): RootPrinter {
  const runs: RootRun[] = [];
  return {
    run(root, plan) {
      const own: RootRun = { root, code: 0, out: '', err: '', files: [], review: undefined };
      const before = runs.findIndex((each) => each.root === root);
      runs.splice(before < 0 ? runs.length : before, 1, own);
      own.code = plan(
        {
          ...host,
          stdout: (text) => void (own.out += text),
          stderr: (text) => void (own.err += text),
          write: (changes) => void own.files.push(...changes),
        },
        (review) => void (own.review = review),
      );
    },
    finish(inside) {
      const failed = runs.filter(({ code }) => code === exitCode.error);
      const files = runs.flatMap((run) => run.files);
      try {
        if (failed.length === 0 && files.length > 0) host.write(files, inside);
      } catch (error) {
        if (!(error instanceof HostError)) throw error;
        host.stderr(`kruise plan: the plans cannot be written: ${forTerminal(error.reason)}\n`);
        return exitCode.error;
      }
      // What another root would have printed of its files is not true then.
      print(host, format, failed.length === 0 ? runs : failed, diagnostics);
      if (failed.length > 0 && failed.length < runs.length)
        host.stderr('other roots were not written, because of these errors\n');
      return failed.length > 0 ? exitCode.error : worstOf(runs.map(({ code }) => code));
    },
  };
}

/** The most basic result counts, as within one root. */
const WORST = [exitCode.integrity, exitCode.refused, exitCode.stale, exitCode.differs, exitCode.changes];

function worstOf(codes: readonly number[]): number {
  return WORST.find((code) => codes.includes(code)) ?? Math.max(...codes);
}

function print(
  host: Host,
  format: string,
  runs: readonly RootRun[],
  diagnostics: readonly Diagnostic[],
): void {
  const paint = paintFor(host.env, host.stdoutIsTTY);
  const titled = ({ root }: RootRun, text: string): string =>
    text === '' || root === undefined
      ? text
      : `${paint('bold', forTerminal(`${root.name} (${root.path})`))}\n${text}`;
  for (const run of runs) host.stderr(titled(run, run.err));
  const shown = runs.filter(({ out }) => out !== '');
  const grouped = manyInRoots(shown);
  switch (format) {
    case 'json': {
      const roots = shown.flatMap(({ root, out }) => {
        if (root === undefined) return [];
        const { format: _, ...own } = JSON.parse(out) as Record<string, unknown>;
        return [{ root: root.name, path: root.path, ...own }];
      });
      const apart = shown.find(({ root }) => root === undefined)?.out ?? '{}';
      const others = JSON.parse(apart) as { diagnostics?: unknown[]; files?: unknown[] };
      const all = [...diagnostics.map(diagnosticJson), ...(others.diagnostics ?? [])];
      host.stdout(forJson({ format: '1', ...others, diagnostics: all, roots }));
      return;
    }
    case 'yaml':
      host.stdout(shown.map(({ out }) => out).join('---\n'));
      return;
    case 'html': {
      const reviews = reviewsOf(shown);
      if (reviews.size > 0) host.stdout(rootsPage(reviews, pageHash));
      return;
    }
    case 'markdown':
      if (grouped !== undefined) {
        host.stdout(rootsMarkdown(grouped));
        return;
      }
      host.stdout(
        pagesWithin(shown.map(({ root, out }) => `# ${root?.name}\n\n${out.replace(/^#/gm, '##')}`)).join(
          '\n',
        ),
      );
      return;
    default:
      if (grouped !== undefined) {
        host.stdout(rootsPlan(grouped, paint));
        return;
      }
      host.stdout(shown.map((run) => titled(run, run.out)).join('\n'));
  }
}

/**
 * What each root changes, where these are more changes than people read one by one. Of roots that print something else, such as errors,
 * each is shown by itself.
 */
function manyInRoots(runs: readonly RootRun[]): ReadonlyMap<string, RootReview> | undefined {
  const reviews = reviewsOf(runs);
  const isWhole = reviews.size === runs.length && reviews.size > 1;
  return isWhole && areManyInRoots([...reviews.values()]) ? reviews : undefined;
}

/** What each root changes, as far as it is known. */
function reviewsOf(runs: readonly RootRun[]): ReadonlyMap<string, RootReview> {
  return new Map(
    runs.flatMap(({ root, review }) =>
      root === undefined || review === undefined ? [] : [[root.name, review] as const],
    ),
  );
}
