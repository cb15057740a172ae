/**
 * What asks the first process of a container to end, in two spellings: images without the one program may have the other. The policy
 * container-exec allows no other command.
 */
export const SIGNALS: readonly (readonly string[])[] = [
  ['kill', '-TERM', '1'],
  ['sh', '-c', 'kill -TERM 1'],
];
