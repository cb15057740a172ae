/** One command of a session in a document, and the output shown below it. */
export interface Shown {
  command: string;
  output: string;
}

/** The commands of a `console` block: a line after `$ ` and its continuation lines, such as a here-document or an open quote. */
export function readSession(block: string): Shown[] {
  const session: Shown[] = [];
  let open: string | undefined;
  for (const line of block.replace(/\n$/, '').split('\n')) {
    const last = session.at(-1);
    if (open !== undefined && last !== undefined) {
      last.command += `\n${line}`;
      if (open === "'" ? line.includes("'") : line === open) open = undefined;
    } else if (line.startsWith('$ ')) {
      const command = line.slice(2);
      session.push({ command, output: '' });
      open = /<<(\w+)$/.exec(command)?.[1] ?? (command.split("'").length % 2 === 0 ? "'" : undefined);
    } else if (last !== undefined) last.output += `${line}\n`;
  }
  return session;
}

/** Replaces everything that differs in each run by a name: equal values get the same name, numbered in order of appearance. */
export function withoutChance(text: string): string {
  const names = new Map<string, string>();
  return text
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL')
    .replace(/(KUBECONFIG=)\S+/g, '$1FILE')
    .replace(/\b((?:\w+-)+)([bcdfghjklmnpqrstvwxz2456789]{5})\b/g, (_, base: string, suffix: string) => {
      const name = names.get(base + suffix) ?? `${base}NAME${names.size}`;
      names.set(base + suffix, name);
      return name;
    })
    .replace(/(?:\d+[dhms])+ ago/g, 'AGE ago')
    .replace(/(?:\d+[dhms])+$/gm, 'AGE')
    .replace(/ {2,}/g, '  ');
}
