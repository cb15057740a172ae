/** A name of at most so many characters that may go on: cut somewhere, it could end in what no part of a name may end in. */
export function cutName(name: string, most: number): string {
  let end = Math.min(name.length, most);
  while (end > 0 && '.-'.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}
