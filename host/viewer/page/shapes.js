// The shapes of agents, so that kinds are told apart without their colours: a disc, a diamond, a square, a triangle.
const paths = ["M8 2.5a5.5 5.5 0 1 0 .01 0z", "M8 1.5 14.5 8 8 14.5 1.5 8z", "M3 3h10v10H3z", "M8 2 14.5 13.5h-13z"];
export const shapeOf = at => Math.max(0, at) % paths.length;

export function shapeIcon(shape, colour) {
  const [svg, path] = ["svg", "path"].map(tag => document.createElementNS("http://www.w3.org/2000/svg", tag));
  svg.setAttribute("viewBox", "0 0 16 16"), svg.setAttribute("class", "shape"), svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", paths[shape]), path.style.fill = colour, svg.append(path);
  return svg;
}
