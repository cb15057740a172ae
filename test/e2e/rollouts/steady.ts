import { steady, type Varying } from '../text.ts';

/** The differences between two rollouts of the same kind, besides those between any two runs. */
const replacements: readonly (readonly [RegExp, string])[] = [
  // `1 (3s ago)` of a pod that was restarted.
  [/ \((?:\d+[hms]){1,2} ago\)/g, ''],
  // Which of the two is observed depends on timing.
  [/\bErrImagePull\b/g, 'ImagePullBackOff'],
  [/\bNAMESPACE-disk-\d+\b/g, 'DISK'],
  [/\bkruise-e2e-node-\d+\b/g, 'NODE'],
  // The server completes the name of a command.
  [/\bweb-(approve|abort|revert|pause|resume)-[a-z0-9]{5}\b/g, 'web-$1-WORD'],
  // The name of what a schedule creates has a time in it, and is a part of its plan.
  [/(?<=\bBroadcastJob web-\S+ \()h1:[\da-f]+/g, 'DIGEST'],
  [/(?<= to context )[^\s:]+/g, 'CONTEXT'],
  [/\b10\.\d+\.\d+\.\d+\b/g, 'IP'],
];

/** Pod names are random, also those of children of OpenKruise, or hang on the uid of a run; revision names depend on their content. */
export const podName = (target: string): RegExp =>
  new RegExp(String.raw`\b${target}-(?:[bcdfghjklmnpqrstvwxz2456789]{5}|[\da-f]{12})\b(?!-)`, 'g');

/** The text with placeholders for varying parts. Rows that begin with a pod are sorted by their other columns. */
export function steadyRollout(text: string, varying: Varying): string {
  const [first, ...rest] = replacements;
  const named = [first, ...rest].reduce(
    (result, replacement) => (replacement === undefined ? result : result.replaceAll(...replacement)),
    steady(
      text.replaceAll(podName('web'), 'web-POD').replaceAll(podName('web-([ab](?:-openk)?)'), 'web-$1-POD'),
      varying,
    ),
  );
  return named.replaceAll(/(?:^ *(?:pod\/)?web-(?:[ab]-(?:openk-)?)?POD .*(?:\n|$))+/gm, (rows) => {
    const end = rows.endsWith('\n') ? '\n' : '';
    return `${rows.replace(/\n$/, '').split('\n').sort().join('\n')}${end}`;
  });
}
