import { HostError } from '../../compiler/host.ts';
import { codeQuality, githubAnnotations } from '../../compiler/review/annotations.ts';
import { commentMarkdown } from '../../compiler/review/comment.ts';
import { InvalidDocument } from '../../compiler/review/json-reader.ts';
import { readReview, type Review } from '../../compiler/review/read-review.ts';
import { exitCode, type Run } from '../command/command.ts';
import type { Refusal } from '../command/refusal.ts';
import { reportRefusal } from '../command/report.ts';
import { readStream } from '../files/streams.ts';
import type { Host } from '../host.ts';
import { postSticky } from './forge.ts';
import { githubThread } from './github.ts';
import { gitlabThread } from './gitlab.ts';

/** `kruise comment`: renders what `kruise plan -o json` printed, and posts it. The document may come from a fork. */
export const runComment: Run = async (host, operands, options) => {
  const refuse = (refusal: Refusal): number => {
    reportRefusal(host, 'comment', refusal);
    return exitCode.error;
  };
  const [file, ...more] = operands;
  if (file === undefined || more.length > 0)
    return refuse({ problem: 'name one file', help: 'kruise plan -o json writes it; - is standard input' });
  const { post, author, name } = options;
  if (name !== undefined && !isName(name))
    return refuse({
      problem: `--name cannot be '${String(name)}'`,
      help: 'use lower-case letters, digits and dashes',
    });
  if (name !== undefined && post === undefined)
    return refuse({
      problem: '--name is for a comment that is posted',
      help: 'add --post, or leave --name out',
    });
  const review = readFile(host, file);
  if (post === undefined) {
    if ('problem' in review) return refuse(review);
    host.stdout(rendered(review, String(options['output'])));
    return exitCode.done;
  }
  try {
    const thread = post === 'gitlab' ? await gitlabThread(host) : await githubThread(host, String(author));
    const sticky =
      'problem' in review ? UNREAD : { text: commentMarkdown(review), isWorthIt: isWorthIt(review) };
    const done = typeof thread === 'string' ? thread : await postSticky(thread, { name, ...sticky });
    host.stdout(`${done}\n`);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return refuse({ problem: error.reason, help: 'see the permissions of the token, and run the job again' });
  }
  return 'problem' in review ? refuse(review) : exitCode.done;
};

/** Takes the place of what an earlier run said, which this run could not judge. */
const UNREAD = {
  text: '# The check could not be made\n\nThere is no result that can be read: see the job. What stood here before is out of date.\n',
  isWorthIt: false,
};

function isWorthIt({ groups, problems, isKnown }: Review): boolean {
  return groups.length > 0 || !isKnown || problems.some(({ severity }) => severity === 'error');
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(name);
}

function rendered(review: Review, output: string): string {
  if (output === 'github') return githubAnnotations(review.problems);
  return output === 'gitlab' ? codeQuality(review.problems) : commentMarkdown(review);
}

function readFile(host: Host, file: string): Review | Refusal {
  const read = readStream(host, file, false);
  if ('problem' in read) return read;
  const help = 'it has to be what kruise plan -o json of this version prints';
  try {
    return readReview(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(read.bytes)));
  } catch (error) {
    if (error instanceof InvalidDocument) return { problem: `${read.file}: ${error.message}`, help };
    if (error instanceof SyntaxError || error instanceof TypeError)
      return { problem: `${read.file} is no JSON`, help };
    throw error;
  }
}
