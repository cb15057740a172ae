import { describe, expect, test } from 'vitest';
import { commentMarkdown } from '../../../compiler/review/comment.ts';
import { readReview } from '../../../compiler/review/read-review.ts';
import { forMarkdown } from '../../../compiler/text/escape.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from '../git/clone.ts';

const one = (): Clone => repositoryWith({ 'apps/web.yaml': cloneSet() });
const roots = (): Clone =>
  repositoryWith({
    'apps/prod/web.yaml': cloneSet(),
    'apps/staging/web.yaml': cloneSet(),
    'kruise.yaml': 'roots:\n- {name: prod, path: apps/prod}\n- {name: staging, path: apps/staging}\n',
  });

describe('kruise plan -o json of what cannot be compared', () => {
  test.each<[string, () => Clone, string[]]>([
    ['a branch that there is not', one, ['apps', '--base', 'nowhere']],
    ['a folder at base that there is not', one, ['apps', '--base-dir', 'nowhere']],
    ['a branch that there is not, of several roots', roots, ['--base', 'nowhere']],
    ['two bases', one, ['apps', '--base', 'HEAD', '--base-dir', 'apps']],
    ['a limit that is none', one, ['apps', '--going-back', 'many']],
  ])('%s', async (_what, clone, words) => {
    const { out, err, code } = await clone().kruise(['plan', ...words, '-o', 'json']);
    expect(code).toBe(1);
    expect(err).toMatch(/^kruise plan: /m);
    const document = JSON.parse(out) as { refused: { problem: string; help: string } };
    expect(err).toContain(document.refused.problem.slice(0, 40));
    expect(document).toMatchObject({ format: '1', known: false, changes: [], diagnostics: [] });
    const comment = commentMarkdown(readReview(document));
    const { problem, help } = document.refused;
    expect(comment).toBe(
      `# The check could not be made\n\n${forMarkdown(problem)}\n\nhelp: ${forMarkdown(help)}\n\nWhat changes is known once this is mended.\n`,
    );
  });
});
