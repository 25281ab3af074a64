//! [`Meeting`]: bodies that pass through each other, or fold into themselves, whether or not contact keeps them apart.

use pliant_algebra::vec3::{Vec3, distance};
use pliant_contact::overlap::{Intersection, OverlapTest};
use pliant_contact::surface::{BodySurface, CollisionSurface, VertexNodes};
use pliant_forces::ForceError;
use pliant_mesh::spatial::{Aabb, TriangleTree, WindingTree};

use crate::{Body, ModelError, Scenery};

/// Two bodies that share space, or one that intersects itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    /// Their numbers in the world, ascending; twice the same for a body that intersects itself.
    pub bodies: [usize; 2],
    /// Pairs of an edge and a triangle that intersect; 0 where one body lies wholly inside the other.
    pub count: usize,
    /// The first edge and triangle that intersect, by vertices of the system; none where there are none.
    pub first: Option<([usize; 2], [usize; 3])>,
    /// A point in both of them, m.
    pub place: Vec3,
    /// How far the deepest vertex of one body is below the surface of the other, m; none within one body, and where no vertex is inside.
    pub depth: Option<f64>,
}

/// The surfaces of all bodies of a world. Buffers are kept from look to look.
#[derive(Debug)]
pub struct Meeting {
    surface: CollisionSurface,
    test: OverlapTest,
    y: Vec<Vec3>,
    /// The vertex of the system that each collision vertex is.
    nodes: Vec<u32>,
    /// The first collision vertex of each body and then of each scenery, and the number of all.
    first: Vec<usize>,
    /// The number of bodies: the surfaces that have an inside.
    solid: usize,
}

impl Meeting {
    /// Takes in the boundaries of all bodies of a world, in their order.
    pub fn new(bodies: &[Body]) -> Result<Self, ModelError> {
        let mut meeting = Self {
            surface: CollisionSurface::new(),
            test: OverlapTest::new(),
            y: Vec::new(),
            nodes: Vec::new(),
            first: vec![0],
            solid: bodies.len(),
        };
        for body in bodies {
            let boundary = body.boundary();
            let map = &boundary.vertex_map;
            let rest: Vec<Vec3> = map.iter().map(|&v| body.mesh.vertices[v as usize]).collect();
            let nodes: Vec<u32> = map.iter().map(|&v| body.system_vertex(v)).collect();
            meeting.add(&rest, &boundary.surface.triangles, nodes)?;
        }
        Ok(meeting)
    }

    /// With scenery, which has numbers after those of the bodies. It overlaps what crosses its surface; as it may be a room, nothing is inside it.
    pub fn with_scenery(mut self, scenery: &[Scenery]) -> Result<Self, ModelError> {
        for Scenery { surface, range, .. } in scenery {
            let nodes = range.clone().map(|v| v as u32).collect();
            self.add(&surface.vertices, &surface.triangles, nodes)?;
        }
        Ok(self)
    }

    fn add(
        &mut self,
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        nodes: Vec<u32>,
    ) -> Result<(), ModelError> {
        let added = self.surface.add(&BodySurface {
            rest,
            triangles,
            strands: &[],
            areas: None,
            samples: &[],
            two_sided: false,
            nodes: VertexNodes::Same(&nodes),
        });
        added.map_err(|e| ForceError::Unsupported(e.to_string()))?;
        self.nodes.extend(nodes);
        self.first.push(self.nodes.len());
        Ok(())
    }

    /// Returns the pairs of bodies whose surfaces intersect at positions `x` of the system, ascending; a body that intersects
    /// itself is paired with itself. Much cheaper than [`Meeting::overlaps`].
    pub fn crossings(&mut self, x: &[Vec3]) -> Vec<[usize; 2]> {
        let mut pairs: Vec<[usize; 2]> =
            self.intersections(x).into_iter().map(|found| self.bodies(&found)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Returns all overlaps at positions `x` of the system, ascending by bodies: surfaces that intersect, and bodies inside others.
    pub fn overlaps(&mut self, x: &[Vec3]) -> Vec<Overlap> {
        let mut found: Vec<_> =
            self.intersections(x).into_iter().map(|i| (self.bodies(&i), i)).collect();
        found.sort_by_key(|(bodies, _)| *bodies);
        let mut overlaps: Vec<Overlap> = found
            .chunk_by(|one, other| one.0 == other.0)
            .map(|group| {
                let (bodies, first) = group[0];
                let node = |v: u32| self.nodes[v as usize] as usize;
                let edge = self.surface.edges()[first.edge as usize].map(node);
                let triangle = self.surface.triangles()[first.triangle as usize].map(node);
                Overlap {
                    bodies,
                    count: group.len(),
                    first: Some((edge, triangle)),
                    place: first.place,
                    depth: None,
                }
            })
            .collect();
        self.add_depths(&mut overlaps);
        overlaps.sort_by_key(|overlap| overlap.bodies);
        overlaps
    }

    /// Tells whether two bodies, or a body and scenery, share space at positions `x` of the system. Looks at these two alone.
    pub fn overlap(&mut self, pair: [usize; 2], x: &[Vec3]) -> bool {
        self.surface.follow(x, &mut self.y);
        let ranges = pair.map(|b| self.first[b] as u32..self.first[b + 1] as u32);
        let [one, other] = &ranges;
        let both = |a: u32, b: u32| {
            one.contains(&a) && other.contains(&b) || one.contains(&b) && other.contains(&a)
        };
        if !self.test.find(&self.surface, &self.y, both).is_empty() {
            return true;
        }
        // Surfaces that do not intersect: where one vertex is, all are.
        [(pair[0], pair[1]), (pair[1], pair[0])].into_iter().any(|(inner, outer)| {
            let bounds = Aabb::of(self.vertices(outer));
            let first = self.vertices(inner).first().copied();
            first
                .filter(|&p| outer < self.solid && inner < self.solid && bounds.contains(p))
                .is_some_and(|p| {
                    let tree = self.tree(outer);
                    WindingTree::new(&tree).at(p) > 0.5
                })
        })
    }

    fn intersections(&mut self, x: &[Vec3]) -> Vec<Intersection> {
        self.surface.follow(x, &mut self.y);
        self.test.find(&self.surface, &self.y, |_, _| true).to_vec()
    }

    /// The triangles of a body.
    fn tree(&self, body: usize) -> TriangleTree {
        let range = self.first[body]..self.first[body + 1];
        let own = self.surface.triangles().iter().filter(|t| range.contains(&(t[0] as usize)));
        TriangleTree::new(own.map(|t| t.map(|v| self.y[v as usize])).collect())
    }

    fn bodies(&self, found: &Intersection) -> [usize; 2] {
        let edge = self.surface.edges()[found.edge as usize][0];
        let triangle = self.surface.triangles()[found.triangle as usize][0];
        let mut bodies =
            [edge, triangle].map(|v| self.first.partition_point(|first| *first <= v as usize) - 1);
        bodies.sort_unstable();
        bodies
    }

    /// Positions of the collision vertices of a body.
    fn vertices(&self, body: usize) -> &[Vec3] {
        &self.y[self.first[body]..self.first[body + 1]]
    }

    /// Measures how deep bodies are inside each other, and adds those that are wholly inside another.
    fn add_depths(&self, overlaps: &mut Vec<Overlap>) {
        let count = self.solid;
        let boxes: Vec<Aabb> = (0..count).map(|body| Aabb::of(self.vertices(body))).collect();
        for (outer, bounds) in boxes.iter().enumerate() {
            let others: Vec<usize> =
                (0..count).filter(|&b| b != outer && boxes[b].overlaps(bounds)).collect();
            if others.is_empty() {
                continue;
            }
            let tree = self.tree(outer);
            let winding = WindingTree::new(&tree);
            for inner in others {
                let Some((depth, place)) = deepest(self.vertices(inner), bounds, &tree, &winding)
                else {
                    continue;
                };
                let bodies = [inner.min(outer), inner.max(outer)];
                let known = overlaps.iter_mut().find(|overlap| overlap.bodies == bodies);
                if let Some(known) = known {
                    known.depth = Some(known.depth.map_or(depth, |d| d.max(depth)));
                } else {
                    let depth = Some(depth);
                    overlaps.push(Overlap { bodies, count: 0, first: None, place, depth });
                }
            }
        }
    }
}

/// The depth of the deepest of some points inside a closed surface, and that point.
fn deepest(
    points: &[Vec3],
    bounds: &Aabb,
    tree: &TriangleTree,
    winding: &WindingTree<'_>,
) -> Option<(f64, Vec3)> {
    let inside = points.iter().filter(|&&p| bounds.contains(p) && winding.at(p) > 0.5);
    let depth = |&p: &Vec3| tree.nearest(p).map(|nearest| (distance(nearest.point, p), p));
    inside.filter_map(depth).max_by(|a, b| a.0.total_cmp(&b.0))
}
