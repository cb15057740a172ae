import type { ShownProblem } from '../diagnostics/shown.ts';
import { contentHash } from '../../semantics/values/canonical-json.ts';
import { countText } from '../../semantics/values/text.ts';
import { forJson, forTerminal, shorten } from '../text/escape.ts';

/** GitHub shows so many of each severity for a step. */
const MOST_OF_EACH = 10;
const LONGEST = 1_000;

/** Problems as commands of GitHub Actions, one a line, which the runner shows at their lines. Errors come first. */
export function githubAnnotations(problems: readonly ShownProblem[]): string {
  return (['error', 'warning'] as const)
    .map((severity) => {
      const found = problems.filter((problem) => problem.severity === severity);
      const more = found.length - MOST_OF_EACH;
      const rest =
        more > 0 ? `::notice::${countText(more, `more ${severity}`)}: see the output of kruise plan\n` : '';
      return `${found.slice(0, MOST_OF_EACH).map(annotation).join('')}${rest}`;
    })
    .join('');
}

function annotation({ code, severity, message, help, at }: ShownProblem): string {
  const place = at === undefined ? '' : `file=${property(at.file)},line=${at.line},col=${at.column},`;
  const says = `${shorten(message, LONGEST)}; help: ${shorten(help, LONGEST)}`;
  return `::${severity} ${place}title=${property(code)}::${data(says)}\n`;
}

/** A text after `::`. The runner decodes these sequences; line breaks are shown as `\n`. */
function data(text: string): string {
  return forTerminal(text).replace(/%/g, '%25');
}

/** A value of a property, which colons and commas would end. */
function property(text: string): string {
  return data(text).replace(/:/g, '%3A').replace(/,/g, '%2C');
}

/** The file that stands for a problem without one. */
const NO_FILE = 'kruise.yaml';

/** Problems as a report of Code Quality, which GitLab shows beside the lines of a merge request. */
export function codeQuality(problems: readonly ShownProblem[]): string {
  return forJson(
    problems.map(({ code, severity, message, help, at }) => ({
      description: `${shorten(message, LONGEST)}; help: ${shorten(help, LONGEST)}`,
      check_name: code,
      fingerprint: contentHash([code, message, at?.file ?? '']),
      severity: severity === 'error' ? 'major' : 'minor',
      location: { path: at?.file ?? NO_FILE, lines: { begin: Math.max(1, at?.line ?? 1) } },
    })),
  );
}
