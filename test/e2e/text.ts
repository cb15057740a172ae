import type { Answer } from './run.ts';

/** What differs from run to run: ages, uids, times, versions, the server's address and the case's namespace. */
export interface Varying {
  namespace: string;
  url: string;
  dir: string;
}

const replacements: readonly (readonly [RegExp, string])[] = [
  // kubectl may notice its own deadline as the end of a watch, and logs that.
  [/^[EIW]\d{4} .*(?:very short watch: |Failed to watch).*\n/gm, ''],
  // A machine may be slow.
  [/^SERVER has not answered yet; still waiting\n?/gm, ''],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'DATE'],
  [/(resource ?version[\\":\s]+)\d+/gi, '$1RV'],
  [/(Expected resource version to be \d+, was )\d+/g, '$1RV'],
  // Newer versions of kubectl print the namespace.
  [/ deleted from NAMESPACE namespace/g, ' deleted'],
  [/(?<=\s)(?:\d+[hms]){1,2}(?=\s|$)/g, 'AGE'],
  [/(?<=\S) {2,}(?=\S)/g, '   '],
  [/ +$/gm, ''],
];

/** The text with placeholders for varying parts, and columns three spaces apart. */
export function steady(text: string, { namespace, url, dir }: Varying): string {
  const named = text
    .replaceAll(dir, 'DIR')
    .replaceAll(namespace, 'NAMESPACE')
    .replaceAll(/(https?:\/\/)[^@/\s]+@/g, '$1')
    .replaceAll(url, 'SERVER')
    .replaceAll(url.replace(/^https?:\/\//, ''), 'SERVER');
  const steadied = replacements.reduce((result, [pattern, by]) => result.replaceAll(pattern, by), named);
  // A server finds the faults of a custom resource in no order of its own.
  return steadied
    .replaceAll(/(?:^\* .*\n){2,}/gm, (faults) => `${faults.trimEnd().split('\n').sort().join('\n')}\n`)
    .trimEnd();
}

/** A result as one text: standard output, then standard error, then the exit code unless it is 0. */
export function answerText({ code, out, err }: Answer, varying: Varying): string {
  return [
    steady(out, varying),
    ...(err === '' ? [] : [`[stderr]\n${steady(err, varying)}`]),
    ...(code === 0 ? [] : [`[exit ${code}]`]),
  ]
    .filter((part) => part !== '')
    .join('\n');
}
