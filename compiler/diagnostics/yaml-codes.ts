import { define } from './definition.ts';
import { quoted } from './phrases.ts';

/** KR10xx: YAML that tools read differently, or not at all. */
export const yamlCodes = {
  KR1004: define<{ detail: string; help?: string }>({
    title: 'YAML syntax',
    severity: 'error',
    message: ({ detail }) => `this is not YAML: ${detail}`,
    help: ({ detail, help }) => (/\{\{/.test(detail) ? 'it looks like a template: render it first' : help),
    about: 'The text is not valid YAML, so its objects are unknown.',
    remedy: 'Correct the reported line. If the file is a template, render it first.',
  }),
  KR1005: define<{ key: string }>({
    title: 'Duplicate key',
    severity: 'error',
    message: ({ key }) => `the key ${quoted(key)} occurs twice in this map`,
    about: 'kubectl silently uses the last of two equal keys, which may not be what the author meant.',
    remedy: 'Remove one of the two. kubectl would use the last.',
  }),
  KR1006: define<{ text: string; reading: string }>({
    title: 'Unquoted value that YAML 1.1 reads differently',
    severity: 'error',
    message: ({ text, reading }) =>
      `${quoted(text)} is text in YAML 1.2 but ${reading} to Kubernetes' YAML reader`,
    help: ({ text, reading }) => `write "${text}" in quotes if text is meant, or ${reading} if not`,
    about:
      'Kubernetes tools read YAML 1.1, where yes, no, on, off, y and n are booleans and 1_000 is a number. ' +
      'A plan is valid only if the compiler and the cluster read the same value.',
    remedy: 'For text, write the value in quotes. Otherwise write true, false or a decimal number.',
  }),
  KR1007: define<{ text: string; decimal: number }>({
    title: 'Octal number',
    severity: 'warning',
    message: ({ text, decimal }) => `${quoted(text)} is an octal number: kubectl reads ${decimal}`,
    help: ({ decimal }) => `write ${decimal}, which every YAML parser reads alike`,
    about:
      'In YAML 1.1 a leading zero means octal; in YAML 1.2 it does not. File modes such as defaultMode: 0644 are the ' +
      'common case. The compiler uses the value that Kubernetes reads.',
    remedy: 'Write the number in decimal, which every YAML parser reads alike.',
  }),
  KR1008: define({
    title: 'Merge key',
    severity: 'error',
    message: () => "only some YAML parsers support the merge key '<<'",
    about: 'YAML 1.2 has no merge key. kubectl merges; other tools keep a field named <<.',
    remedy: 'Write the fields out, or render the manifest before planning.',
  }),
  KR1009: define<{ key: string }>({
    title: 'Key that is not text',
    severity: 'error',
    message: ({ key }) => `the key ${quoted(key)} is not text`,
    help: ({ key }) => `write "${key}" in quotes`,
    about:
      'Keys of a Kubernetes object are text. Tools read numbers, booleans, null and nested keys as keys differently.',
    remedy: 'Write the key in quotes.',
  }),
  KR1010: define({
    title: 'Forbidden key',
    severity: 'error',
    message: () => "the key '__proto__' is not accepted",
    about: 'The key has a special meaning in JavaScript and none in Kubernetes, so the compiler refuses it.',
    remedy: 'Remove it; no Kubernetes object has such a field.',
  }),
  KR1011: define<{ limit: number }>({
    title: 'Nested too deeply',
    severity: 'error',
    message: ({ limit }) => `the document has more than ${limit} levels of nesting`,
    about: 'No Kubernetes object comes near this depth. Such a document could exhaust the parser.',
    remedy: 'Check whether the file is a manifest. If not, move it out of the folder.',
  }),
  KR1012: define<{ alias: string; problem: 'unknown' | 'endless' | { limit: number } }>({
    title: 'Alias that cannot be expanded',
    severity: 'error',
    message({ alias, problem }) {
      if (problem === 'unknown') return `no anchor before it defines the alias ${quoted(`*${alias}`)}`;
      const what = problem === 'endless' ? 'contains itself' : `expands to more than ${problem.limit} values`;
      return `the alias ${quoted(`*${alias}`)} ${what}`;
    },
    help: ({ alias, problem }) =>
      problem === 'unknown' ? `write "*${alias}" in quotes if it is text, such as a pattern` : undefined,
    about:
      'An alias repeats the value at its anchor, which comes before it in the same document. Aliases that refer to aliases ' +
      'can double the size at every level. The limit keeps them from filling the memory.',
    remedy: 'Write the values out, or render the manifest before planning.',
  }),
  KR1013: define<{ tag: string }>({
    title: 'YAML tag',
    severity: 'error',
    message: ({ tag }) => `the tag ${quoted(tag)} has no meaning in a Kubernetes manifest`,
    about: 'Kubernetes objects are JSON. Custom tags, binary values, sets and dates do not exist there.',
    remedy: 'Remove the tag, or render the manifest before planning.',
  }),
  KR1014: define<{ text: string }>({
    title: 'Number that JSON cannot hold',
    severity: 'error',
    message: ({ text }) => `${quoted(text)} is a number that JSON cannot hold exactly`,
    help: ({ text }) => `write "${text}" in quotes if text is meant`,
    about: 'Infinity, NaN and integers beyond 2^53 would change on the way to the API server.',
    remedy: 'Write the value in quotes if text is meant, or use a smaller number.',
  }),
  KR1020: define({
    title: 'YAML version directive',
    severity: 'error',
    message: () => 'a %YAML directive can change how values are read',
    about:
      'Kubernetes tools ignore the directive, and other tools follow it, so they may read different values.',
    remedy: 'Remove the line.',
  }),
} as const;
